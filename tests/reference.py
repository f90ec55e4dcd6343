"""Attention in double precision, in plain Python loops, sharing no line with `attn`: what the tests compare with.

`output` and `gradients` take tensors with any leading dimensions, and broadcast mask and bias; the work itself is done
on lists of floats, one matrix at a time.
"""

import itertools
import math

import torch


def weights_of(Q, K, look, bias, scale):
    """One matrix of weights, a list of rows; look[i][j] is True where query i may look at key j."""
    rows = []
    for i, q in enumerate(Q):
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) * scale + bias[i][j] for j, k in enumerate(K)]
        seen = [score for score, may in zip(scores, look[i], strict=True) if may]
        top = max(seen, default=0.0)
        powers = [math.exp(score - top) if may else 0.0 for score, may in zip(scores, look[i], strict=True)]
        total = math.fsum(powers)
        rows.append([power / total if total else 0.0 for power in powers])
    return rows


def output_of(weights, V, d_v):
    """The weighted mean of the values, for each row of weights."""
    return [[math.fsum(w * v[c] for w, v in zip(row, V, strict=True)) for c in range(d_v)] for row in weights]


def gradients_of(Q, K, V, weights, scale, G, d_k, d_v):
    """What sum(G · output) changes by, for each number of Q, K, V and for each score."""
    n, m, dS = len(Q), len(K), []
    for i in range(n):
        dW = [sum(G[i][c] * V[j][c] for c in range(d_v)) for j in range(m)]
        mean = sum(weights[i][j] * dW[j] for j in range(m))
        dS.append([weights[i][j] * (dW[j] - mean) for j in range(m)])
    dQ = [[sum(dS[i][j] * K[j][c] for j in range(m)) * scale for c in range(d_k)] for i in range(n)]
    dK = [[sum(dS[i][j] * Q[i][c] for i in range(n)) * scale for c in range(d_k)] for j in range(m)]
    dV = [[sum(weights[i][j] * G[i][c] for i in range(n)) for c in range(d_v)] for j in range(m)]
    return dQ, dK, dV, dS


def matrices(Q, K, V, mask, causal, bias):
    """For each place in the leading dimensions: the lists Q, K, V, who may look at whom, and the bias."""
    lead, n, m = Q.shape[:-2], Q.shape[-2], K.shape[-2]
    look = torch.ones(*lead, n, m, dtype=torch.bool) if mask is None else mask.expand(*lead, n, m)
    bias = torch.zeros(*lead, n, m) if bias is None else bias.expand(*lead, n, m)
    for at in itertools.product(*map(range, lead)):
        may = look[at].tolist()
        if causal:
            may = [[may[i][j] and j - (m - n) <= i for j in range(m)] for i in range(n)]
        yield *(x[at].double().tolist() for x in (Q, K, V)), may, bias[at].double().tolist()


def scale_of(Q, scale):
    return 1 / math.sqrt(Q.shape[-1]) if scale is None else scale


def weights(Q, K, *, mask=None, causal=False, bias=None, scale=None):
    """(…, n, m), in float64."""
    cases = matrices(Q, K, K, mask, causal, bias)
    found = [weights_of(q, k, may, b, scale_of(Q, scale)) for q, k, _, may, b in cases]
    return torch.tensor(found, dtype=torch.float64).reshape(*Q.shape[:-1], K.shape[-2])


def output(Q, K, V, *, mask=None, causal=False, bias=None, scale=None):
    """(…, n, d_v), in float64."""
    d_v = V.shape[-1]
    found = [
        output_of(weights_of(q, k, may, b, scale_of(Q, scale)), v, d_v)
        for q, k, v, may, b in matrices(Q, K, V, mask, causal, bias)
    ]
    return torch.tensor(found, dtype=torch.float64).reshape(*Q.shape[:-1], d_v)


def gradients(Q, K, V, G, *, mask=None, causal=False, bias=None, scale=None):
    """Of sum(G · output): as Q, K and V, and (…, n, m) for the bias before it was broadcast; in float64."""
    found = [[], [], [], []]
    flat = G.double().flatten(0, -3).tolist() if G.ndim > 2 else [G.double().tolist()]
    for (q, k, v, may, b), g in zip(matrices(Q, K, V, mask, causal, bias), flat, strict=True):
        factor = scale_of(Q, scale)
        parts = gradients_of(q, k, v, weights_of(q, k, may, b, factor), factor, g, Q.shape[-1], V.shape[-1])
        for kept, part in zip(found, parts, strict=True):
            kept.append(part)
    shapes = (Q.shape, K.shape, V.shape, (*Q.shape[:-1], K.shape[-2]))
    return [torch.tensor(x, dtype=torch.float64).reshape(shape) for x, shape in zip(found, shapes, strict=True)]
