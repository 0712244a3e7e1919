// Where a page takes its recording from: from itself, or from pacl view.
(() => {
  const pacl = globalThis.pacl ??= {};
  const block = (id) => document.getElementById(id)?.textContent;

  // Bytes that were compressed and written as text.
  const unpacked = async (text) => {
    const letters = atob(text);
    const packed = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) packed[at] = letters.charCodeAt(at);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  };

  pacl.fetched = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return answer;
  };

  // A page that holds all itself: the minutes of its ECG are cut from one array.
  const within = (view) => {
    let ecg = null;
    return {
      live: false,
      beats: () => unpacked(block("beats")),
      piece: async (number) => {
        ecg ??= unpacked(block("ecg-samples")).then((buffer) => new Int16Array(buffer));
        const all = await ecg;
        const leads = view.ecg.leads.length;
        const count = all.length / leads;
        const [low, high] = [number, number + 1].map((n) => Math.min(Math.ceil(n * 60 * view.ecg.fs_hz - 1e-6), count));
        const found = new Int16Array(leads * (high - low));
        for (let lead = 0; lead < leads; lead += 1) {
          found.set(all.subarray(lead * count + low, lead * count + high), lead * (high - low));
        }
        return found;
      },
    };
  };

  const served = () => ({
    live: true,
    beats: async () => (await pacl.fetched("beats")).arrayBuffer(),
    piece: async (number) => new Int16Array(await (await pacl.fetched(`ecg/${number}`)).arrayBuffer()),
  });

  pacl.source = () => {
    const view = JSON.parse(block("view"));
    return { view, ...(block("beats") ? within(view) : served()) };
  };
})();
