/* The loops that read all samples, for processors whose registers hold VECTOR bytes.
 *
 * `_loops.c` includes this file once for each kind of processor, with
 *
 *   CLONE   the name of the kind,
 *   TARGET  the attribute that allows its instructions,
 *   VECTOR  16, 32 or 64; 0 for a compiler without vector types.
 *
 * Vectors that are wider than the registers would be kept on the stack, which costs more than they
 * gain. Sums in lanes differ from kind to kind in their last digits; what is found does not, because
 * the canonical score decides where digits matter. */

#if VECTOR

typedef OF(double, VECTOR) MY(Doubles);
typedef OF(float, VECTOR) MY(Floats);
typedef OF(int32_t, VECTOR) MY(Wholes);

/* As many whole numbers of two bytes as floats, and a + b c, which may be rounded once or twice. */
#if VECTOR == 64
#define SHORTS_AT(p) \
    (MY(Floats)) _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const void *)(p))))
#define ADD_FLOATS(a, b, c) (MY(Floats)) _mm512_fmadd_ps((__m512)(b), (__m512)(c), (__m512)(a))
#define ADD_DOUBLES(a, b, c) (MY(Doubles)) _mm512_fmadd_pd((__m512d)(b), (__m512d)(c), (__m512d)(a))
#elif VECTOR == 32
#define SHORTS_AT(p) \
    (MY(Floats)) _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const void *)(p))))
#define ADD_FLOATS(a, b, c) (MY(Floats)) _mm256_fmadd_ps((__m256)(b), (__m256)(c), (__m256)(a))
#define ADD_DOUBLES(a, b, c) (MY(Doubles)) _mm256_fmadd_pd((__m256d)(b), (__m256d)(c), (__m256d)(a))
#else
typedef OF(int16_t, VECTOR / 2) MY(Shorts);
#define SHORTS_AT(p) \
    __builtin_convertvector(__builtin_convertvector(*(const MY(Shorts) *)(p), MY(Wholes)), MY(Floats))
#define ADD_FLOATS(a, b, c) (a) + (b) * (c)
#define ADD_DOUBLES(a, b, c) (a) + (b) * (c)
#endif

/* The lanes are added up by halves, down to four. */
PART Four MY(four_of)(MY(Floats) s) {
#if VECTOR == 64
    Eight h = __builtin_shufflevector(s, s, 0, 1, 2, 3, 4, 5, 6, 7)
            + __builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15);
    return __builtin_shufflevector(h, h, 0, 1, 2, 3) + __builtin_shufflevector(h, h, 4, 5, 6, 7);
#elif VECTOR == 32
    return __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7);
#else
    return s;
#endif
}

PART double MY(sum_of_doubles)(MY(Doubles) lanes) {
    double s = 0;
    for (int l = 0; l < DOUBLES; l += 2) s += lanes[l] + lanes[l + 1];
    return s;
}

PART double MY(rough_score)(const double *w, const double *x, int m) {
    MY(Doubles) a = {0}, b = {0};
    for (; m >= 2 * DOUBLES; m -= 2 * DOUBLES, w += 2 * DOUBLES, x += 2 * DOUBLES) {
        a = ADD_DOUBLES(a, DOUBLES_AT(w), DOUBLES_AT(x));
        b = ADD_DOUBLES(b, DOUBLES_AT(w + DOUBLES), DOUBLES_AT(x + DOUBLES));
    }
    if (m >= DOUBLES) {
        a = ADD_DOUBLES(a, DOUBLES_AT(w), DOUBLES_AT(x));
        m -= DOUBLES, w += DOUBLES, x += DOUBLES;
    }
    double s = MY(sum_of_doubles)(a + b);
    for (int j = 0; j < m; j++) s += w[j] * x[j];
    return s;
}

/* Of one row in units, and of four, one behind the other: each weight is read once for them. */
PART float MY(rough_score_in_units)(const float *v, const int16_t *q, int width) {
    MY(Floats) s = {0};
    for (int j = 0; j < width; j += FLOATS) s = ADD_FLOATS(s, FLOATS_AT(v + j), SHORTS_AT(q + j));
    Four f = MY(four_of)(s);
    return (f[0] + f[1]) + (f[2] + f[3]);
}

PART void MY(rough_scores_in_units)(const float *v, const int16_t *q, int64_t width, float *scores) {
    MY(Floats) a = {0}, b = {0}, c = {0}, d = {0};
    for (int64_t k = 0; k < 4 * width; k += 32)
        __builtin_prefetch((const void *)((uintptr_t)(q + k) + AHEAD));
    for (int64_t j = 0; j < width; j += FLOATS, q += FLOATS) {
        const MY(Floats) w = FLOATS_AT(v + j);
        a = ADD_FLOATS(a, w, SHORTS_AT(q));
        b = ADD_FLOATS(b, w, SHORTS_AT(q + width));
        c = ADD_FLOATS(c, w, SHORTS_AT(q + 2 * width));
        d = ADD_FLOATS(d, w, SHORTS_AT(q + 3 * width));
    }
    *(Four *)scores = sums_of(MY(four_of)(a), MY(four_of)(b), MY(four_of)(c), MY(four_of)(d));
}

#else

PART double MY(rough_score)(const double *w, const double *x, int m) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; m >= 4; m -= 4, w += 4, x += 4) {
        s0 += w[0] * x[0], s1 += w[1] * x[1];
        s2 += w[2] * x[2], s3 += w[3] * x[3];
    }
    for (int j = 0; j < m; j++) s0 += w[j] * x[j];
    return (s0 + s1) + (s2 + s3);
}

PART float MY(rough_score_in_units)(const float *v, const int16_t *q, int width) {
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int j = 0; j < width; j += 4) {
        s0 += v[j] * q[j], s1 += v[j + 1] * q[j + 1];
        s2 += v[j + 2] * q[j + 2], s3 += v[j + 3] * q[j + 3];
    }
    return (s0 + s1) + (s2 + s3);
}

PART void MY(rough_scores_in_units)(const float *v, const int16_t *q, int64_t width, float *s) {
    for (int r = 0; r < 4; r++) s[r] = MY(rough_score_in_units)(v, q + r * width, (int)width);
}

#endif

/* ------------------------------------------------------------------------------ suspects */

LOOP int64_t MY(suspect)(const Samples *data, const int64_t *order, int64_t a, int64_t b,
                         const Weights *by) {
    const int m = data->m;
    for (int64_t k = a; k < b; k++) {
        int64_t i = sample_at(order, k);
        if ((uint64_t)i >= (uint64_t)data->n) return k;
        double ys = (double)data->y[i] * MY(rough_score)(by->w, data->X + i * m, m);
        if (!(ys > by->near)) return k;
    }
    return b;
}

LOOP int64_t MY(suspect_in_units)(const Samples *data, const int64_t *order, int64_t a, int64_t b,
                                  const Weights *by) {
    const int64_t width = data->rounded->width;
    const int16_t *Q = data->rounded->rows;
    for (float margins[4]; !order && a + 4 <= b; a += 4) {
        MY(rough_scores_in_units)(by->v, Q + a * width, width, margins);
        for (int r = 0; r < 4; r++)
            if (!(margins[r] > by->near_v)) return a + r;
    }
    for (int64_t k = a; k < b; k++) {
        int64_t i = sample_at(order, k);
        if ((uint64_t)i >= (uint64_t)data->n) return k;
        if (!(MY(rough_score_in_units)(by->v, Q + i * width, (int)width) > by->near_v)) return k;
    }
    return b;
}

LOOP void MY(round_rows)(const Samples *data, int64_t a, int64_t b) {
    const int m = data->m, width = data->rounded->width;
    for (int64_t i = a; i < b; i++) {
        const double units = (double)((data->y[i] > 0) - (data->y[i] < 0)) * STEPS / data->reach;
        int16_t *q = data->rounded->rows + i * width;
        for (int j = 0; j < m; j++) {
            double z = data->X[i * m + j] * units;
            z = z > STEPS ? STEPS : z > -STEPS ? z : -STEPS; /* should another thread change it */
            q[j] = (int16_t)((int32_t)(z + (STEPS + 1.5)) - (STEPS + 1)); /* to the nearest one */
        }
        for (int j = m; j < width; j++) q[j] = 0;
    }
}

/* Short rows are taken a block at a time, which needs a length that the compiler knows. Each row
 * has its canonical score, so that there is nothing to doubt. Where mistakes are frequent the next
 * one is near: the first rows are looked at one by one, and then each block is twice as large. */
PART int64_t MY(suspect_of_length)(int m, const Samples *data, int64_t a, int64_t b,
                                   const Weights *by) {
    const double *w = by->w;
    for (int64_t most = FEW, end; a < b; a = end, most *= most < BLOCK ? 2 : 1) {
        const double *x = data->X + a * m;
        const int64_t *y = data->y + a;
        int64_t rows = b - a < most ? b - a : most, right = 0;
        end = a + rows;
        for (int64_t k = 0; most > FEW && k < rows; k++)
            right += (double)y[k] * canonical_score(w, x + k * m, m) > 0;
        if (right == rows) continue;
        for (int64_t k = 0; k < rows; k++)
            if (!((double)y[k] * canonical_score(w, x + k * m, m) > 0)) return a + k;
    }
    return b;
}

LOOP int64_t MY(suspect_of_short)(const Samples *data, int64_t a, int64_t b, const Weights *by) {
    switch (data->m) {
#define CASE(m) case m: return MY(suspect_of_length)(m, data, a, b, by)
    CASE(1); CASE(2); CASE(3); CASE(4); CASE(5); CASE(6);
    CASE(7); CASE(8); CASE(9); CASE(10); CASE(11);
#undef CASE
    default: return MY(suspect_of_length)(SHORT, data, a, b, by);
    }
}

/* The canonical score of a sample for each class, several at once; see `mistakes.h`. */
LOOP void MY(score_classes)(const double *V, int width, const double *x, int m, double *scores) {
    for (int c = 0; c < width; c += TOGETHER, V += m * TOGETHER, scores += TOGETHER) {
        double s[TOGETHER];
        for (int k = 0; k < TOGETHER; k++) s[k] = V[k] * x[0];
        for (int j = 1; j < m; j++)
            for (int k = 0; k < TOGETHER; k++) s[k] = s[k] + V[j * TOGETHER + k] * x[j];
        memcpy(scores, s, sizeof s);
    }
}

/* ------------------------------------------------------------------------------- counts */

/* How many mistakes there are from sample a to sample b - 1. */
LOOP int64_t MY(mistakes_in)(const Samples *data, int64_t a, int64_t b, const Weights *by) {
    int64_t wrong = 0;
    for (int64_t i = a; i < b; i++) {
        double ys = (double)data->y[i] * MY(rough_score)(by->w, data->X + i * data->m, data->m);
        wrong += ys < -by->near || (!(ys > by->near) && is_mistake(data, i, by->w));
    }
    return wrong;
}

/* The last sheaf is filled up with its last sample. */
LOOP void MY(gather_sheaves)(const Samples *data, float *Z) {
    const int m = data->m, sheaf = sheaf_of(m);
    for (int64_t k = 0; k < (data->n + sheaf - 1) / sheaf * sheaf; k++) {
        int64_t i = k < data->n ? k : data->n - 1;
        float *z = Z + k / sheaf * sheaf * m + k % sheaf, y = (float)data->y[i];
        for (int j = 0; j < m; j++) z[(int64_t)j * sheaf] = y * (float)data->X[i * m + j];
    }
}

/* How many samples of a sheaf are mistakes of each of the weights; -1 if one of them is near. */
#if VECTOR
PART void MY(tally_of_length)(int m, int sheaf, const float *Z, const float *const v[HAND],
                              const float near[HAND], int32_t wrong[HAND]) {
    MY(Wholes) below[HAND] = {{0}}, doubt[HAND] = {{0}};
    float square[HAND]; /* one multiplication says on which side of both bounds a margin is */
    for (int k = 0; k < HAND; k++) square[k] = 1.001f * near[k] * near[k] + FLT_MIN;
    for (int s = 0; s < sheaf; s += 2 * FLOATS) {
        const float *z = Z + s;
        MY(Floats) even[HAND], odd[HAND];
        for (int k = 0; k < HAND; k++) {
            even[k] = v[k][0] * FLOATS_AT(z);
            odd[k] = v[k][0] * FLOATS_AT(z + FLOATS);
        }
        for (int j = 1; j < m; j++) {
            z += sheaf;
            const MY(Floats) x = FLOATS_AT(z), next = FLOATS_AT(z + FLOATS);
            for (int k = 0; k < HAND; k++) {
                const MY(Floats) w = v[k][j] - (MY(Floats)){0};
                even[k] = ADD_FLOATS(even[k], w, x);
                odd[k] = ADD_FLOATS(odd[k], w, next);
            }
        }
        for (int k = 0; k < HAND; k++) {
            /* The sign of a float is the sign of its bits as a whole number: shifted, -1 or 0. */
            below[k] += ((MY(Wholes))even[k] >> 31) + ((MY(Wholes))odd[k] >> 31);
            doubt[k] |= (MY(Wholes))(even[k] * even[k] - square[k]);
            doubt[k] |= (MY(Wholes))(odd[k] * odd[k] - square[k]);
        }
    }
    for (int k = 0; k < HAND; k++) {
        int32_t in_doubt = 0, found = 0;
        for (int l = 0; l < FLOATS; l++) in_doubt |= doubt[k][l] >> 31, found -= below[k][l];
        wrong[k] = in_doubt ? -1 : found;
    }
}
#else
PART void MY(tally_of_length)(int m, int sheaf, const float *Z, const float *const v[HAND],
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

LOOP void MY(tally)(const float *Z, int m, const float *const v[HAND], const float near[HAND],
                    int32_t wrong[HAND]) {
    if (m == 3) MY(tally_of_length)(3, sheaf_of(3), Z, v, near, wrong);
    else MY(tally_of_length)(m, sheaf_of(m), Z, v, near, wrong);
}

LOOP void MY(add_row)(double *scores, double step, const double *row, int64_t n) {
    for (int64_t j = 0; j < n; j++) scores[j] = scores[j] + step * row[j];
}

static const Loops MY(loops) = {
    TEXT(CLONE), VECTOR ? VECTOR / 4 : 4, VECTOR > 16 ? 1 << 15 : 1 << 18, MY(suspect),
    MY(suspect_of_short), MY(suspect_in_units), MY(round_rows), MY(score_classes),
    MY(mistakes_in), MY(gather_sheaves), MY(tally), MY(add_row)};

#undef SHORTS_AT
#undef ADD_FLOATS
#undef ADD_DOUBLES
#undef CLONE
#undef TARGET
#undef VECTOR
