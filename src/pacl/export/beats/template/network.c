/* A dilated convolution, a ReLU, a matrix; and a way around them. */
typedef struct {
    layer wide, point;
    int dilation;
    int after;   /* beats after a beat that the convolution looks at */
    int place;   /* where its older columns are kept: in `rounded`, or in `exact` */
    float scale; /* what a byte of them is worth; 0: they are kept as they are */
} block;

/* @weights */

/* ------------------------------------------------------------------------------- older columns

   Each block keeps the last columns that came into it, in a ring. The newest is not among them: it
   is used before it is rounded.

   age      4d . . . 3d . . . 2d . . . d . . . 0        taps of a kernel of 5, d apart
   ring     [at                               ]         the oldest is where the next one goes
*/

static int slots_of(const block *of)
{
    return (of->wide.taps - 1) * of->dilation;
}

static int8_t rounded(float value, float scale)
{
    const float steps = value / scale;
    return (int8_t)(steps >= 127.0f ? 127 : steps <= -127.0f ? -127 : lrintf(steps));
}

/* Put a column into a slot of a block's ring. */
static void keep(pacl_af_stream *stream, const block *of, int slot, const float *column)
{
    const size_t first = (size_t)of->place + (size_t)slot * PACL_AF_CHANNELS;
    for (size_t i = 0; i < PACL_AF_CHANNELS; i++) {
        if (of->scale > 0.0f) {
            stream->rounded[first + i] = rounded(column[i], of->scale);
        } else {
            stream->exact[first + i] = column[i];
        }
    }
}

/* The column that came into a block so many beats ago, 1 up to slots_of. */
static const float *older(pacl_af_stream *stream, const block *of, int at, int age)
{
    const int slot = at >= age ? at - age : at - age + slots_of(of);
    const size_t first = (size_t)of->place + (size_t)slot * PACL_AF_CHANNELS;
    if (!(of->scale > 0.0f)) {
        return stream->exact + first;
    }
    for (size_t i = 0; i < PACL_AF_CHANNELS; i++) {
        stream->older[i] = of->scale * (float)stream->rounded[first + i];
    }
    return stream->older;
}

/* ------------------------------------------------------------------------------------- layers */

/* From stream->column, the newest that came into a block, to the newest that comes out of it. */
static void pass(pacl_af_stream *stream, int number)
{
    const block *of = &BLOCKS[number];
    const int slots = slots_of(of);
    int32_t *at = &stream->at[number];
    begin(&of->wide, stream->wide);
    for (int tap = 0; tap < of->wide.taps; tap++) {
        const int age = (of->wide.taps - 1 - tap) * of->dilation;
        add(&of->wide, tap, age ? older(stream, of, (int)*at, age) : stream->column, stream->wide);
    }
    end(&of->wide, stream->wide);
    relu(stream->wide, PACL_AF_CHANNELS);

    float beside[PACL_AF_CHANNELS];
    begin(&of->point, beside);
    add(&of->point, 0, stream->wide, beside);
    end(&of->point, beside);
    const float *around = of->after ? older(stream, of, (int)*at, of->after) : stream->column;
    for (int i = 0; i < PACL_AF_CHANNELS; i++) {
        beside[i] += around[i];
    }
    if (slots) {
        keep(stream, of, (int)*at, stream->column);
        *at = *at + 1 < slots ? *at + 1 : 0;
    }
    for (int i = 0; i < PACL_AF_CHANNELS; i++) {
        stream->column[i] = beside[i];
    }
}

/* The state that absent beats leave: their inputs are 0, so that all columns of a layer are the
   same. Each block is filled with what comes into it, then says what comes out. */
static void begin_network(pacl_af_stream *stream)
{
    for (int i = 0; i < PACL_AF_MEAN; i++) {
        stream->log_rr[i] = 0.0f;
    }
    for (int i = 0; i < PACL_AF_FIRST; i++) {
        stream->inputs[i] = 0.0f;
    }
    stream->log_rr_at = stream->inputs_at = 0;
    stream->heard = 0;
    begin(&FIRST, stream->column);
    end(&FIRST, stream->column);
    for (int number = 0; number < PACL_AF_BLOCKS; number++) {
        for (int slot = 0; slot < slots_of(&BLOCKS[number]); slot++) {
            keep(stream, &BLOCKS[number], slot, stream->column);
        }
        stream->at[number] = 0;
        pass(stream, number);
    }
    stream->logit = 0.0f;
}

/* What the network sees of the newest beat, given the running mean of MEAN_BEATS. */
static void see(pacl_af_stream *stream, float rr_ms, float seen[INPUTS])
{
    const float bounded = fminf(fmaxf(rr_ms, LEAST_MS), MOST_MS);
    const float log_rr = logf(bounded / USUAL_MS);
    const int count = stream->heard < MEAN_BEATS ? (int)stream->heard : MEAN_BEATS;
    const int last = (int)(stream->log_rr_at ? stream->log_rr_at : MEAN_BEATS - 1) - 1;
    const float step = stream->heard > 1 ? log_rr - stream->log_rr[last] : 0.0f;
    float sum = log_rr;
    for (int i = 0; i < MEAN_BEATS - 1; i++) {
        sum += stream->log_rr[i]; /* 0 where there was no beat */
    }
    const float mean = sum / (float)count;
    seen[0] = asinhf(COARSE * (log_rr - mean));
    seen[1] = asinhf(COARSE * step);
    seen[2] = asinhf(FINE * step) / 2.0f;
    seen[3] = 2.0f * mean;
    seen[4] = 1.0f;
    stream->log_rr[stream->log_rr_at] = log_rr;
    stream->log_rr_at = stream->log_rr_at + 1 < MEAN_BEATS - 1 ? stream->log_rr_at + 1 : 0;
}

/* Take one interval; stream->logit is then that of the beat PACL_AF_AHEAD beats ago. */
static void hear(pacl_af_stream *stream, float rr_ms)
{
    const int slots = FIRST.taps - 1;
    float seen[INPUTS];
    stream->heard += stream->heard < INT32_MAX;
    see(stream, rr_ms, seen);
    begin(&FIRST, stream->column);
    for (int tap = 0; tap < slots; tap++) { /* the oldest is where the next one goes */
        const int slot = ((int)stream->inputs_at + tap) % slots;
        add(&FIRST, tap, stream->inputs + slot * INPUTS, stream->column);
    }
    add(&FIRST, slots, seen, stream->column);
    end(&FIRST, stream->column);
    for (int i = 0; i < INPUTS && slots; i++) {
        stream->inputs[stream->inputs_at * INPUTS + i] = seen[i];
    }
    stream->inputs_at = stream->inputs_at + 1 < slots ? stream->inputs_at + 1 : 0;
    for (int number = 0; number < PACL_AF_BLOCKS; number++) {
        pass(stream, number);
    }
    for (int i = 0; i < PACL_AF_CHANNELS; i++) {
        stream->wide[i] = stream->column[i];
    }
    relu(stream->wide, PACL_AF_CHANNELS);
    begin(&HEAD, &stream->logit);
    add(&HEAD, 0, stream->wide, &stream->logit);
    end(&HEAD, &stream->logit);
}
