#ifndef PACL_AF_DECLARE

/* @constants */

#ifdef __cplusplus
#define ALONE
#else
#define ALONE restrict
#endif

#if INT8
typedef int8_t weight;
#else
typedef float weight;
#endif

/* A convolution, its normalisation multiplied in; with one tap, a matrix. */
typedef struct {
    const weight *weights; /* [tap][input][output] */
#if INT8
    const float *scale; /* [output] */
#endif
    const float *bias; /* [output] */
    int inputs, outputs, taps;
} layer;

static void begin(const layer *of, float *sum)
{
    for (int o = 0; o < of->outputs; o++) {
#if INT8
        sum[o] = 0.0f;
#else
        sum[o] = of->bias[o];
#endif
    }
}

/* Add what one column says through one tap. After a ReLU many values are 0 and cost nothing. */
static void add(const layer *of, int tap, const float *ALONE column, float *ALONE sum)
{
    const weight *row = of->weights + (size_t)tap * (size_t)of->inputs * (size_t)of->outputs;
    for (int i = 0; i < of->inputs; i++, row += of->outputs) {
        const float value = column[i];
        if (value == 0.0f) {
            continue;
        }
        for (int o = 0; o < of->outputs; o++) {
            sum[o] += value * (float)row[o];
        }
    }
}

static void end(const layer *of, float *sum)
{
#if INT8
    for (int o = 0; o < of->outputs; o++) {
        sum[o] = sum[o] * of->scale[o] + of->bias[o];
    }
#else
    (void)of;
    (void)sum;
#endif
}

static void relu(float *values, int count)
{
    for (int i = 0; i < count; i++) {
        values[i] = values[i] > 0.0f ? values[i] : 0.0f;
    }
}
