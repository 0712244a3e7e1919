/* One of stride 2 in a branch. */
typedef struct {
    layer plain;
    int length;       /* columns that come in */
    int place, slots; /* where its own columns are kept, and how many of them */
} convolution;

/* @weights */

/* ---------------------------------------------------------------------------------- branches

   All is done moment by moment, so that of each layer only the columns are kept that the next
   one still looks at, in a ring:

   beats      . . . . . . . . . . . . . . . .
   layer 0     .   .   .   .   .   .   .   .       a column looks at 2 t - taps / 2 up to
   layer 1       .       .       .       .         2 t + taps / 2 of those before it
   layer 2           .               .       ->  one moment of all branches, mixed, attended to
*/

static void convolve(pacl_af_work *work, const convolution *branch, int depth, int t)
{
    const convolution *of = &branch[depth];
    const float *from = depth ? work->recent + branch[depth - 1].place : work->beats;
    const int slots = depth ? branch[depth - 1].slots : PACL_AF_BEATS;
    float *to = depth == PACL_AF_DEPTH - 1 ? work->column : work->recent;
    to += of->place + (t % of->slots) * of->plain.outputs;
    begin(&of->plain, to);
    for (int tap = 0; tap < of->plain.taps; tap++) {
        const int at = 2 * t + tap - of->plain.taps / 2;
        if (at >= 0 && at < of->length) {
            add(&of->plain, tap, from + (at % slots) * of->plain.inputs, to);
        }
    }
    end(&of->plain, to);
    relu(to, of->plain.outputs);
}

/* Bring each layer of a branch as far as the last one needs for its column t. */
static void advance(pacl_af_work *work, int number, int t)
{
    const convolution *branch = BRANCHES[number];
    int last[PACL_AF_DEPTH];
    last[PACL_AF_DEPTH - 1] = t;
    for (int depth = PACL_AF_DEPTH - 1; depth > 0; depth--) {
        const int seen = 2 * last[depth] + branch[depth].plain.taps / 2;
        const int there = branch[depth].length - 1;
        last[depth - 1] = seen < there ? seen : there;
    }
    for (int depth = 0; depth < PACL_AF_DEPTH; depth++) {
        for (; work->made[number][depth] <= last[depth]; work->made[number][depth]++) {
            convolve(work, branch, depth, (int)work->made[number][depth]);
        }
    }
}

/* --------------------------------------------------------------------------------- one window */

static float mean_of(const float *rr_ms)
{
    float sum = 0.0f; /* of differences: they are small, so that little is rounded off */
    for (int i = 0; i < PACL_AF_BEATS; i++) {
        sum += rr_ms[i] - rr_ms[0];
    }
    return rr_ms[0] + sum / (float)PACL_AF_BEATS;
}

/* Whether a window hardly varies: standard deviation over mean. */
static int is_steady(const float *rr_ms)
{
    const float mean = mean_of(rr_ms);
    float sum = 0.0f;
    for (int i = 0; i < PACL_AF_BEATS; i++) {
        sum += (rr_ms[i] - mean) * (rr_ms[i] - mean);
    }
    return sqrtf(sum / (float)PACL_AF_BEATS) / fmaxf(mean, SHORTEST_MS) < STEADY_VARIATION;
}

/* Each interval by the mean of its window; `seen` may be the intervals themselves. */
static void see(const float *rr_ms, float *seen)
{
    for (int i = 0; i < PACL_AF_BEATS; i++) {
        seen[i] = fmaxf(rr_ms[i], SHORTEST_MS);
    }
    const float mean = mean_of(seen);
    for (int i = 0; i < PACL_AF_BEATS; i++) {
        seen[i] = asinhf(GAIN * logf(seen[i] / mean));
    }
}

/* The mean over time of the mixed columns, weighted by the softmax of their scores. Weights are
   relative to the highest score so far; when a higher one comes, what was summed is made less. */
static void attend(pacl_af_work *work)
{
    float highest = 0.0f, total = 0.0f;
    for (int t = 0; t < MOMENTS; t++) {
        float score = 0.0f, share = 1.0f, kept = 1.0f;
        for (int number = 0; number < PACL_AF_BRANCHES; number++) {
            advance(work, number, t);
        }
        begin(&MIX, work->mixed);
        add(&MIX, 0, work->column, work->mixed);
        end(&MIX, work->mixed);
        relu(work->mixed, PACL_AF_MIXED);
        for (int i = 0; i < PACL_AF_MIXED; i++) {
            score += SCORE[i] * work->mixed[i];
        }
        if (t == 0) {
            kept = 0.0f;
            highest = score;
        } else if (score > highest) {
            kept = expf(highest - score);
            highest = score;
        } else {
            share = expf(score - highest);
        }
        total = kept * total + share;
        for (int i = 0; i < PACL_AF_MIXED; i++) {
            const float before = t ? kept * work->pooled[i] : 0.0f;
            work->pooled[i] = before + share * work->mixed[i];
        }
    }
    for (int i = 0; i < PACL_AF_MIXED; i++) {
        work->pooled[i] /= total;
    }
}

float pacl_af_logit(pacl_af_work *work, const float rr_ms[PACL_AF_BEATS])
{
    const int steady = is_steady(rr_ms);
    float squares = 0.0f, logit = 0.0f;
    see(rr_ms, work->beats);
    for (int number = 0; number < PACL_AF_BRANCHES; number++) {
        for (int depth = 0; depth < PACL_AF_DEPTH; depth++) {
            work->made[number][depth] = 0;
        }
    }
    attend(work);
#if LINEAR
    const float *z = work->column;
    begin(&TO_POOLED, work->column);
    add(&TO_POOLED, 0, work->pooled, work->column);
    end(&TO_POOLED, work->column);
#else
    const float *z = work->pooled;
#endif
    for (int i = 0; i < FEATURES; i++) {
        squares += z[i] * z[i];
        logit += PROBE[i] * z[i];
    }
    logit = logit / fmaxf(sqrtf(squares), 1e-12f) + PROBE_BIAS;
    return steady ? fminf(logit, STEADY_CEILING) : logit;
}
