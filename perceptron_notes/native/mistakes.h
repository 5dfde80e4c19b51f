/* The search for mistakes among samples, in plain C.
 *
 * A sample x with label y is a mistake of the weights w when its canonical score, the sum
 * ((w0 x0 + w1 x1) + w2 x2) + ... from the left, is not positive times y. Sums in an order that
 * suits the processor come first and only ever skip samples that are right beyond all rounding;
 * the canonical score decides the others. So what is found does not depend on the processor. */

#ifndef PERCEPTRON_NOTES_MISTAKES_H
#define PERCEPTRON_NOTES_MISTAKES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0)
#error "sums must be rounded to double as they are written; the package works without this module"
#endif

/* The widest instructions that the processor has, chosen when the module is loaded. Build with
 * -DONE_TARGET to have what a processor without them runs. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__) && !defined(ONE_TARGET)
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

#if defined(_MSC_VER)
#define INLINE static __forceinline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

typedef struct {
    const double *X; /* n rows of m numbers */
    const int64_t *y;
    int64_t n;
    int m;
    double reach;     /* no number in X is larger */
    const int16_t *Q; /* n rows of `width`: X in units of reach / STEPS, then zeros; or NULL */
    int width;
} Samples;

#define STEPS 32767

/* Weights, and the bounds beyond which a rough margin has the sign of the canonical one. */
typedef struct {
    const double *w;
    double near;
    const float *v; /* w times the unit of Q, and zeros, `width` numbers; or NULL */
    float near_v;
} Weights;

INLINE double canonical_score(const double *w, const double *x, int m) {
    double s = w[0] * x[0];
    for (int j = 1; j < m; j++) s = s + w[j] * x[j];
    return s;
}

/* What is not a number decides nothing, so it is a mistake as well. */
INLINE int is_mistake(const Samples *data, int64_t i, const double *w) {
    return !((double)data->y[i] * canonical_score(w, data->X + i * data->m, data->m) > 0);
}

/* ------------------------------------------------------------------------------- bounds */

/* At least the sum of |w_j x_j| for every sample, but for rounding. */
INLINE double size_of(const double *w, int m, double reach) {
    double size = 0;
    for (int j = 0; j < m; j++) size += fabs(w[j]);
    return size * reach;
}

/* Two sums of the same m products differ by at most 2 m u / (1 - m u) times their size, where
 * u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 3.1).
 * The small term covers underflow. Where sums may overflow nothing is skipped. */
INLINE double nearness(double size, int m) {
    return size < 1e300 ? (m + 2) * 0x1p-52 * size + 1e-300 : INFINITY;
}

/* The same for products and sums of numbers rounded to float, which adds 2 u to m u, where
 * u = 2^-24. The small term covers underflow as long as `half_precision_holds`. */
INLINE float nearness_of_floats(double size, int m) {
    return (float)(1.001 * (m + 4) * (0x1p-24 * size + 1e-29));
}

/* The same where each number of X was rounded to a whole number of units: it is half a unit away
 * at most, so that the sum is half of size / STEPS away, which is 2^-16 size. */
INLINE float nearness_of_units(double size, int m) {
    return nearness_of_floats(size, m) + (float)(1.001 * 0x1p-16 * size);
}

INLINE int half_precision_holds(double size, int m, double reach) {
    return m <= 8192 && reach > 1e-3 && reach < 1e15 && size < 1e15;
}

/* -------------------------------------------------------------------------- rough scores
 *
 * Several numbers are multiplied and added at once, in lanes that are added up in the end. */

#define FEW 4
#define AHEAD 16384

#if defined(__GNUC__)
#define LANES(type, bytes) \
    __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias)) type
typedef LANES(double, 64) Doubles;
typedef LANES(float, 64) Floats;
typedef LANES(float, 32) HalfFloats;
typedef LANES(int16_t, 32) Shorts;
typedef LANES(int16_t, 16) HalfShorts;
#define FLOATS_AT(q) __builtin_convertvector(*(const Shorts *)(q), Floats)
#define HALF_FLOATS_AT(q) __builtin_convertvector(*(const HalfShorts *)(q), HalfFloats)
#define SUM_OF_EIGHT(s) (((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])))

INLINE double rough_score(const double *w, const double *x, int m) {
    Doubles even = {0}, odd = {0};
    for (; m >= 16; m -= 16, w += 16, x += 16) {
        even += *(const Doubles *)w * *(const Doubles *)x;
        odd += *(const Doubles *)(w + 8) * *(const Doubles *)(x + 8);
    }
    if (m >= 8) {
        even += *(const Doubles *)w * *(const Doubles *)x;
        m -= 8, w += 8, x += 8;
    }
    even += odd;
    double s = SUM_OF_EIGHT(even);
    for (int j = 0; j < m; j++) s += w[j] * x[j];
    return s;
}

/* The same of a row of Q; `width` is a multiple of 8. */
INLINE float rough_score_in_units(const float *v, const int16_t *q, int width) {
    Floats even = {0}, odd = {0};
    for (; width >= 32; width -= 32, v += 32, q += 32) {
        even += *(const Floats *)v * FLOATS_AT(q);
        odd += *(const Floats *)(v + 16) * FLOATS_AT(q + 16);
    }
    if (width >= 16) {
        even += *(const Floats *)v * FLOATS_AT(q);
        width -= 16, v += 16, q += 16;
    }
    even += odd;
    HalfFloats half = *(HalfFloats *)&even + *((HalfFloats *)&even + 1);
    if (width) half += *(const HalfFloats *)v * HALF_FLOATS_AT(q);
    return SUM_OF_EIGHT(half);
}

/* Of FEW rows, one behind the other: each weight is read once for all of them, and what comes
 * AHEAD of them, in bytes, is asked for, since memory is slower than the sums. */
INLINE void rough_scores_in_units(const float *v, const int16_t *q, int width, float s[FEW]) {
    Floats sums[FEW] = {{0}};
    int j = 0;
    for (int64_t c = 0; c < FEW * (int64_t)width; c += 32)
        __builtin_prefetch((const void *)((uintptr_t)(q + c) + AHEAD));
    for (; j + 16 <= width; j += 16)
        for (int r = 0; r < FEW; r++)
            sums[r] += *(const Floats *)(v + j) * FLOATS_AT(q + r * (int64_t)width + j);
    for (int r = 0; r < FEW; r++) {
        HalfFloats half = *(HalfFloats *)&sums[r] + *((HalfFloats *)&sums[r] + 1);
        const int16_t *rest = q + r * (int64_t)width + j;
        if (j < width) half += *(const HalfFloats *)(v + j) * HALF_FLOATS_AT(rest);
        s[r] = SUM_OF_EIGHT(half);
    }
}

#else

INLINE double rough_score(const double *w, const double *x, int m) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; m >= 4; m -= 4, w += 4, x += 4) {
        s0 += w[0] * x[0], s1 += w[1] * x[1];
        s2 += w[2] * x[2], s3 += w[3] * x[3];
    }
    for (int j = 0; j < m; j++) s0 += w[j] * x[j];
    return (s0 + s1) + (s2 + s3);
}

INLINE float rough_score_in_units(const float *v, const int16_t *q, int width) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int j = 0; j < width; j += 4) {
        s0 += v[j] * q[j], s1 += v[j + 1] * q[j + 1];
        s2 += v[j + 2] * q[j + 2], s3 += v[j + 3] * q[j + 3];
    }
    return (s0 + s1) + (s2 + s3);
}

INLINE void rough_scores_in_units(const float *v, const int16_t *q, int width, float s[FEW]) {
    for (int r = 0; r < FEW; r++) s[r] = rough_score_in_units(v, q + r * (int64_t)width, width);
}

#endif

/* ------------------------------------------------------------------------------ suspects
 *
 * Each returns the first k from a to b - 1 whose sample is not right beyond doubt; b if all are.
 * With an order, k counts its places, and a place that holds no sample's index is a suspect. */

INLINE int64_t sample_at(const int64_t *order, int64_t k) {
    /* Read once: another thread may change the order after its entry was checked. */
    return order ? *(const volatile int64_t *)(order + k) : k;
}

WIDE static int64_t suspect(const Samples *data, const int64_t *order, int64_t a, int64_t b,
                            const Weights *by) {
    const int m = data->m;
    for (int64_t k = a; k < b; k++) {
        int64_t i = sample_at(order, k);
        if ((uint64_t)i >= (uint64_t)data->n) return k;
        double ys = (double)data->y[i] * rough_score(by->w, data->X + i * m, m);
        if (!(ys > by->near)) return k;
    }
    return b;
}

WIDE static int64_t suspect_in_units(const Samples *data, const int64_t *order, int64_t a,
                                     int64_t b, const Weights *by) {
    const int width = data->width;
    for (float s[FEW]; !order && a + FEW <= b; a += FEW) {
        rough_scores_in_units(by->v, data->Q + a * width, width, s);
        for (int r = 0; r < FEW; r++)
            if (!((float)data->y[a + r] * s[r] > by->near_v)) return a + r;
    }
    for (int64_t k = a; k < b; k++) {
        int64_t i = sample_at(order, k);
        if ((uint64_t)i >= (uint64_t)data->n) return k;
        float ys = (float)data->y[i] * rough_score_in_units(by->v, data->Q + i * width, width);
        if (!(ys > by->near_v)) return k;
    }
    return b;
}

/* Short rows are batched for SIMD, which needs a length that the compiler knows. Each row still has
 * its canonical score, so that there is nothing to doubt. */
#define SHORT 12
#define BLOCK 64

INLINE int64_t suspect_of_length(int m, const Samples *data, int64_t a, int64_t b,
                                 const Weights *by) {
    const double *w = by->w;
    for (int64_t end; a < b; a = end) {
        const double *x = data->X + a * m;
        const int64_t *y = data->y + a;
        int64_t rows = b - a < BLOCK ? b - a : BLOCK, right = 0;
        end = a + rows;
        for (int64_t k = 0; k < rows; k++)
            right += (double)y[k] * canonical_score(w, x + k * m, m) > 0;
        if (right == rows) continue;
        for (int64_t k = 0; k < rows; k++)
            if (!((double)y[k] * canonical_score(w, x + k * m, m) > 0)) return a + k;
    }
    return b;
}

WIDE static int64_t suspect_of_short(const Samples *data, int64_t a, int64_t b,
                                     const Weights *by) {
    switch (data->m) {
    case 1: return suspect_of_length(1, data, a, b, by);
    case 2: return suspect_of_length(2, data, a, b, by);
    case 3: return suspect_of_length(3, data, a, b, by);
    case 4: return suspect_of_length(4, data, a, b, by);
    case 5: return suspect_of_length(5, data, a, b, by);
    case 6: return suspect_of_length(6, data, a, b, by);
    case 7: return suspect_of_length(7, data, a, b, by);
    case 8: return suspect_of_length(8, data, a, b, by);
    case 9: return suspect_of_length(9, data, a, b, by);
    case 10: return suspect_of_length(10, data, a, b, by);
    case 11: return suspect_of_length(11, data, a, b, by);
    default: return suspect_of_length(12, data, a, b, by);
    }
}

/* ------------------------------------------------------------------------------- counts */

/* How many mistakes there are from sample a to sample b - 1. */
WIDE static int64_t mistakes_in(const Samples *data, int64_t a, int64_t b, const Weights *by) {
    int64_t wrong = 0;
    for (int64_t i = a; i < b; i++) {
        double ys = (double)data->y[i] * rough_score(by->w, data->X + i * data->m, data->m);
        wrong += ys < -by->near || (!(ys > by->near) && is_mistake(data, i, by->w));
    }
    return wrong;
}

/* Z holds the samples times their labels, in half the precision: a sheaf of them together, first
 * all their numbers x_0, then all x_1, and so on, so that a processor scores several at once.
 * Weights are counted a HAND of them together, so that Z is read less often. */
#define HAND 4

INLINE int sheaf_of(int m) { return m <= 4 ? 512 : m <= SHORT ? 256 : 64; }

/* The last sheaf is filled up with its last sample. */
WIDE static void gather_sheaves(const Samples *data, float *Z) {
    const int m = data->m, sheaf = sheaf_of(m);
    for (int64_t k = 0; k < (data->n + sheaf - 1) / sheaf * sheaf; k++) {
        int64_t i = k < data->n ? k : data->n - 1;
        float *z = Z + k / sheaf * sheaf * m + k % sheaf, y = (float)data->y[i];
        for (int j = 0; j < m; j++) z[(int64_t)j * sheaf] = y * (float)data->X[i * m + j];
    }
}

/* How many samples of a sheaf are mistakes of each of the weights; -1 if one of them is near. */
#if defined(__GNUC__)
typedef LANES(int32_t, 64) Counts;
typedef LANES(int32_t, 32) HalfCounts;

INLINE int32_t sum_of(const Counts *c) {
    HalfCounts h = *(const HalfCounts *)c + *((const HalfCounts *)c + 1);
    return SUM_OF_EIGHT(h);
}

INLINE void tally_of_length(int m, int sheaf, const float *Z, const float *const v[HAND],
                            const float near[HAND], int32_t wrong[HAND]) {
    Counts below[HAND] = {{0}}, doubt[HAND] = {{0}};
    float square[HAND]; /* one multiplication says on which side of both bounds a margin is */
    for (int k = 0; k < HAND; k++) square[k] = 1.001f * near[k] * near[k] + FLT_MIN;
    for (int s = 0; s < sheaf; s += 32) {
        const float *z = Z + s;
        Floats even[HAND], odd[HAND];
        for (int k = 0; k < HAND; k++) {
            even[k] = v[k][0] * *(const Floats *)z;
            odd[k] = v[k][0] * *(const Floats *)(z + 16);
        }
        for (int j = 1; j < m; j++) {
            z += sheaf;
            const Floats x = *(const Floats *)z, next = *(const Floats *)(z + 16);
            for (int k = 0; k < HAND; k++) {
                even[k] += v[k][j] * x;
                odd[k] += v[k][j] * next;
            }
        }
        for (int k = 0; k < HAND; k++) {
            /* The sign of a float is the sign of its bits as a whole number: shifted, -1 or 0. */
            below[k] += ((Counts)even[k] >> 31) + ((Counts)odd[k] >> 31);
            doubt[k] |= (Counts)(even[k] * even[k] - square[k]);
            doubt[k] |= (Counts)(odd[k] * odd[k] - square[k]);
        }
    }
    for (int k = 0; k < HAND; k++) {
        doubt[k] >>= 31;
        wrong[k] = sum_of(&doubt[k]) ? -1 : -sum_of(&below[k]);
    }
}
#else
INLINE void tally_of_length(int m, int sheaf, const float *Z, const float *const v[HAND],
                            const float near[HAND], int32_t wrong[HAND]) {
    for (int k = 0; k < HAND; k++) {
        int32_t below = 0, above = 0;
        for (int s = 0; s < sheaf; s++) {
            float ys = 0;
            for (int j = 0; j < m; j++) ys += v[k][j] * Z[j * sheaf + s];
            below += ys < -near[k];
            above += ys > near[k];
        }
        wrong[k] = below + above < sheaf ? -1 : below;
    }
}
#endif

WIDE static void tally(const float *Z, int m, const float *const v[HAND], const float near[HAND],
                       int32_t wrong[HAND]) {
    if (m == 3) tally_of_length(3, sheaf_of(3), Z, v, near, wrong);
    else tally_of_length(m, sheaf_of(m), Z, v, near, wrong);
}

/* Rows of X in whole units, filled up with zeros. */
WIDE static void round_rows(const Samples *data, int64_t a, int64_t b, int width, int16_t *Q) {
    const int m = data->m;
    const double units = STEPS / data->reach;
    for (int64_t i = a; i < b; i++) {
        int16_t *q = Q + i * width;
        for (int j = 0; j < m; j++) {
            double z = data->X[i * m + j] * units;
            z = z > STEPS ? STEPS : z > -STEPS ? z : -STEPS; /* should another thread change it */
            q[j] = (int16_t)((int32_t)(z + (STEPS + 1.5)) - (STEPS + 1)); /* to the nearest one */
        }
        for (int j = m; j < width; j++) q[j] = 0;
    }
}

#endif
