/* -------------------------------------------------------------------------------- the decoder

   As pacl.detect.decoder: runs of positive log odds, short interruptions included, are AF if they
   are long and sure enough. A beat is decided PACL_AF_LAG beats later, by the runs as they stand
   then. Sums are doubles: there are few of them, and a run may last for days. */

static void begin_decoder(pacl_af_decoder *decoder)
{
    decoder->run_sum = decoder->since_sum = 0.0;
    decoder->run_beats = decoder->since = 0;
    decoder->waiting = decoder->at = 0;
}

static int run_counts(const pacl_af_decoder *decoder)
{
    return decoder->run_beats >= LEAST_BEATS && decoder->run_sum >= EVIDENCE;
}

static int in_run(const pacl_af_decoder *decoder, int beats_ago)
{
    return decoder->since <= beats_ago && beats_ago - decoder->since < decoder->run_beats;
}

static void end_run(pacl_af_decoder *decoder)
{
    int slot = (int)decoder->at; /* of the newest beat */
    const int ended = run_counts(decoder);
    for (int ago = 0; ago < decoder->waiting && ended; ago++) {
        if (in_run(decoder, ago)) {
            decoder->in_ended_run[slot] = 1;
        }
        slot = slot ? slot - 1 : PACL_AF_LAG;
    }
    decoder->run_beats = decoder->since = 0;
    decoder->run_sum = decoder->since_sum = 0.0;
}

/* Take the logit of one more beat. 1: the beat PACL_AF_LAG beats before it is decided. */
static int decide(pacl_af_decoder *decoder, float logit, float *probability, int *af)
{
    const double log_odds = SLOPE * (double)logit + SHIFT;
    decoder->log_odds[decoder->at] = (float)log_odds;
    decoder->in_ended_run[decoder->at] = 0;
    decoder->waiting += decoder->waiting <= PACL_AF_LAG;
    if (log_odds > 0.0) {
        decoder->run_beats += decoder->run_beats < INT32_MAX - BRIDGE ? 1 + decoder->since : 0;
        decoder->run_sum += log_odds + decoder->since_sum;
        decoder->since = 0;
        decoder->since_sum = 0.0;
    } else if (decoder->run_beats) {
        decoder->since++;
        decoder->since_sum += log_odds;
        if (decoder->since == BRIDGE) {
            end_run(decoder);
        }
    }
    decoder->at = decoder->at < PACL_AF_LAG ? decoder->at + 1 : 0;
    if (decoder->waiting <= PACL_AF_LAG) {
        return 0;
    }
    *af = decoder->in_ended_run[decoder->at]
        || (in_run(decoder, PACL_AF_LAG) && run_counts(decoder));
    *probability = 0.5f * (1.0f + tanhf(0.5f * decoder->log_odds[decoder->at]));
    return 1;
}
