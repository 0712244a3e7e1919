/* --------------------------------------------------------------------------------- the stream */

void pacl_af_init(pacl_af_stream *stream)
{
    begin_network(stream);
    begin_decoder(&stream->decoder);
}

int pacl_af_push(pacl_af_stream *stream, float rr_ms, float *probability, int *af)
{
    if (!(rr_ms >= 0.0f && rr_ms <= LONGEST_MS)) {
        return -1;
    }
    if (rr_ms > GAP_MS) {
        pacl_af_init(stream);
        return 0;
    }
    hear(stream, rr_ms);
    if (stream->heard <= PACL_AF_AHEAD) {
        return 0; /* of a beat before the first one */
    }
    return decide(&stream->decoder, stream->logit, probability, af);
}

#ifdef PACL_MAIN

/* Reads one interval in ms per line. For each beat that is decided it writes its number, counted
   from 1, the probability of AF, and 1 if it is in AF. */
int main(void)
{
    static pacl_af_stream stream;
    double rr_ms = 0.0;
    float probability = 0.0f;
    int af = 0;
    pacl_af_init(&stream);
    for (long heard = 1; next_interval(&rr_ms); heard++) {
        if (pacl_af_push(&stream, (float)rr_ms, &probability, &af) > 0) {
            printf("%ld %.6f %d\n", heard - PACL_AF_DELAY, (double)probability, af);
        }
    }
    return 0;
}

#endif /* PACL_MAIN */

#endif /* PACL_AF_DECLARE */
