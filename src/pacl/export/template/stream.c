/* --------------------------------------------------------------------------------- the stream */

static float probability_of(float log_odds)
{
    return 0.5f * (1.0f + tanhf(0.5f * log_odds));
}

/* Log odds after one more window: a heart is in AF or not, and may change from step to step. */
static float filtered(const pacl_af_stream *stream, float logit)
{
    const float af = probability_of(stream->log_odds);
    const float there = af * (1.0f - CHANGE) + (1.0f - af) * CHANGE; /* one step on */
    const float log_odds = logf(there / (1.0f - there)) + TRUST * logit;
    return fmaxf(-FARTHEST, fminf(FARTHEST, log_odds));
}

/* Whether a device sends each beat again, up to MOST_REPEATED times: neighbours that would be one
   beat are equal, those that would be two are not. */
static int is_repeated(const float *beats)
{
    int alike = 0;
    for (int i = 0; i + 1 < PACL_AF_BEATS; i++) {
        alike += beats[i] == beats[i + 1];
    }
    if (3 * alike < PACL_AF_BEATS - 1) {
        return 0; /* sent twice, nearly half would be */
    }
    for (int times = 2; times <= MOST_REPEATED; times++) {
        for (int first = 0; first < times; first++) {
            int pairs[2] = {0, 0}, equal[2] = {0, 0}; /* of one beat, of two */
            for (int i = 0; i + 1 < PACL_AF_BEATS; i++) {
                const int two = i % times == first;
                pairs[two]++;
                equal[two] += beats[i] == beats[i + 1];
            }
            if ((float)equal[0] >= WITHIN * (float)pairs[0]
                && (float)equal[1] < BETWEEN * (float)pairs[1]) {
                return 1;
            }
        }
    }
    return 0;
}

/* The window in order, to work->beats; whether it can be judged: it is not one interval again and
   again, nor each beat some times over, and not too many were left out between its first and its
   last. */
static int take_window(pacl_af_stream *stream)
{
    int varies = 0;
    int32_t left_out = 0, from = stream->at; /* the oldest is where the next one goes */
    for (int i = 0; i < PACL_AF_BEATS; i++) {
        stream->work.beats[i] = stream->beats[from];
        varies |= stream->beats[from] != stream->work.beats[0];
        left_out += i ? stream->left_out[from] : 0;
        from = from + 1 < PACL_AF_BEATS ? from + 1 : 0;
    }
    return varies && left_out <= MOST_LEFT_OUT && !is_repeated(stream->work.beats);
}

void pacl_af_init(pacl_af_stream *stream)
{
    stream->leaving_out = 0;
    stream->at = 0;
    stream->due = PACL_AF_BEATS;
    stream->log_odds = 0.0f;
}

int pacl_af_push(pacl_af_stream *stream, float rr_ms, float *probability)
{
    if (!(rr_ms >= 0.0f && rr_ms <= LONGEST_MS)) {
        return -1;
    }
    if (rr_ms > GAP_MS) {
        pacl_af_init(stream);
        return 0;
    }
    if (rr_ms < LEAST_MS || rr_ms > MOST_MS) {
        stream->leaving_out = (uint16_t)(stream->leaving_out + (stream->leaving_out < UINT16_MAX));
        return 0;
    }
    stream->beats[stream->at] = rr_ms;
    stream->left_out[stream->at] = stream->leaving_out;
    stream->leaving_out = 0;
    stream->at = stream->at + 1 < PACL_AF_BEATS ? stream->at + 1 : 0;
    if (--stream->due > 0) {
        return 0;
    }
    stream->due = STRIDE;
    if (!take_window(stream)) {
        stream->log_odds = 0.0f;
        return 0;
    }
    stream->log_odds = filtered(stream, pacl_af_logit(&stream->work, stream->work.beats));
    *probability = probability_of(stream->log_odds);
    return 1;
}

#ifdef PACL_MAIN

/* Reads an interval in ms a line; writes seconds and probability for each decision. */
int main(void)
{
    pacl_af_stream stream;
    double passed_ms = 0.0, rr_ms = 0.0;
    float probability = 0.0f;
    pacl_af_init(&stream);
    while (next_interval(&rr_ms)) {
        passed_ms += rr_ms;
        if (pacl_af_push(&stream, (float)rr_ms, &probability) > 0) {
            printf("%.3f %.6f\n", passed_ms / 1000.0, (double)probability);
        }
    }
    return 0;
}

#endif /* PACL_MAIN */

#endif /* PACL_AF_DECLARE */
