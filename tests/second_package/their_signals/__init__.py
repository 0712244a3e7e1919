"""A package of somebody else, with a loss, an encoder, a reader and a system for pacl."""
