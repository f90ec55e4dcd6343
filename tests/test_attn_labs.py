"""What the labs claim: eight mistakes are recognised, right functions pass, and 苹果 is told apart by one word."""

import os
import re
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

import attn
from attn.labs import senses, zoo
from attn.labs.check import MISTAKES, PROPERTIES, check_attention

# Right functions, written in different ways.


def with_einsum(Q, K, V, mask=None, causal=False):
    scores = torch.einsum("...nd,...md->...nm", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    return scores.softmax(-1) @ V


def with_batched_products(Q, K, V):
    return torch.bmm(F.softmax(torch.bmm(Q, K.transpose(1, 2)) / Q.size(2) ** 0.5, 2), V)


def with_capital_t(Q, K, V):
    return F.softmax(Q @ K.T / Q.shape[-1] ** 0.5, -1) @ V


def with_loops(Q, K, V):
    rows = []
    for q in Q:
        scores = torch.stack([(q * k).sum() for k in K]) / len(q) ** 0.5
        powers = (scores - scores.max()).exp()
        rows.append(sum(power / powers.sum() * v for power, v in zip(powers, V, strict=True)))
    return torch.stack(rows)


def with_heads(Q, K, V, num_heads):
    Q, K, V = (x.view(*x.shape[:2], num_heads, -1).transpose(1, 2) for x in (Q, K, V))
    return F.scaled_dot_product_attention(Q, K, V).transpose(1, 2).flatten(2)


def with_heads_and_mask(Q, K, V, num_heads=1, mask=None):
    Q, K, V = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2) for x in (Q, K, V))
    return attn.attention(Q, K, V, mask=mask).transpose(1, 2).flatten(2)


def with_a_mask_that_is_needed(Q, K, V, mask):
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)


class Module(torch.nn.Module):
    def forward(self, Q, K, V, causal=False):
        return attn.fused_attention(Q, K, V, causal=causal)


RIGHT = {
    "attention": attn.attention,
    "fused": attn.fused_attention,
    "blockwise": attn.blockwise_attention,
    "torch": F.scaled_dot_product_attention,
    "lambda": lambda Q, K, V: (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V,
    "module": Module(),
    **{fn.__name__: fn for fn in (with_einsum, with_batched_products, with_capital_t, with_loops)},
    **{fn.__name__: fn for fn in (with_heads, with_heads_and_mask, with_a_mask_that_is_needed)},
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_pass(name):
    report = check_attention(RIGHT[name])
    assert report.passed and report.mistakes == [], str(report)


@pytest.mark.parametrize("wrong", zoo.ZOO, ids=lambda wrong: wrong.__name__)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_of_the_eight_is_named_and_nothing_else(wrong, language):
    report = check_attention(wrong, language)
    assert not report.passed and report.mistakes == [wrong.__name__]
    (found,) = [finding for finding in report.findings if finding.holds is False]
    assert found.remark == MISTAKES[wrong.__name__][language == "zh"]
    assert str(found) in str(report) and str(found).startswith("✗")


def test_the_eight_have_the_right_shape():
    assert len(zoo.ZOO) == 8
    for wrong in zoo.ZOO:
        Q, K, V = torch.randn(2, 3, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 8)
        assert wrong(Q, K, V).shape == (2, 3, 8)
        assert wrong.__doc__


# Other mistakes, each with its name.
def scores(Q, K):
    return Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5


def masked_after(Q, K, V, mask=None):
    weights = scores(Q, K).softmax(-1)
    return (weights if mask is None else weights * mask) @ V


def masked_zero(Q, K, V, mask=None):
    return (scores(Q, K) if mask is None else scores(Q, K) * mask).softmax(-1) @ V


def triangle(keep):
    def wrong(Q, K, V, causal=False):
        s = scores(Q, K)
        return (s.masked_fill(~keep(torch.ones_like(s)).bool(), -1e4) if causal else s).softmax(-1) @ V

    return wrong


def filled_with_minus_1e9(Q, K, V, mask=None):
    s = scores(Q, K)
    return (s if mask is None else s.masked_fill(~mask, -1e9)).softmax(-1) @ V


def causal_minus_1e9(Q, K, V, causal=False):
    s = scores(Q, K)
    return (s.masked_fill(torch.ones_like(s).triu(1).bool(), -1e9) if causal else s).softmax(-1) @ V


def naive(Q, K, V):
    powers = scores(Q, K).exp()
    return powers / powers.sum(-1, keepdim=True) @ V


def over_samples(Q, K, V):
    s = scores(Q, K)
    return (s.softmax(-1) if s.ndim == 2 else s.flatten(0, -2).softmax(-1).roll(1, 0).view(s.shape)) @ V


def heads(split=True, merge=True, scale=None):
    def wrong(Q, K, V, num_heads=1):
        d_model = Q.size(-1)
        Q, K, V = (
            x.unflatten(-1, (num_heads, -1)).transpose(1, 2) if split else x.reshape(len(x), num_heads, x.size(1), -1)
            for x in (Q, K, V)
        )
        output = F.scaled_dot_product_attention(Q, K, V, scale=None if scale is None else scale(d_model))
        return output.transpose(1, 2).flatten(2) if merge else output.reshape(Q.size(0), Q.size(2), -1)

    return wrong


OTHERS = [
    (lambda Q, K, V: scores(Q, K) @ V, ["no_softmax"]),
    (lambda Q, K, V: (scores(Q, K) / Q.size(-1) ** 0.5).softmax(-1) @ V, ["scaling_by_d_k"]),
    (lambda Q, K, V: (scores(Q, K) * Q.size(-1)).softmax(-1) @ V, ["scaling_upside_down"]),
    (lambda Q, K, V: (scores(Q, K) + 1).square().softmax(-1) @ V, ["other_weights"]),
    (lambda Q, K, V: (scores(Q, K) @ V).softmax(-1), ["values_inside_softmax"]),
    (lambda Q, K, V: scores(Q, K).softmax(-1) @ V.relu(), ["other_mix"]),
    (lambda Q, K, V: (scores(Q, K) + torch.arange(K.size(-2))).softmax(-1) @ V, ["other_weights", "order_matters"]),
    (naive, ["overflow"]),
    (over_samples, ["batch_mixed"]),
    (masked_after, ["masked_after_softmax"]),
    (masked_zero, ["masked_scores_zero"]),
    (lambda Q, K, V, mask=None: scores(Q, K).softmax(-1) @ V, ["mask_ignored"]),
    (lambda Q, K, V, causal=False: scores(Q, K).softmax(-1) @ V, ["causal_ignored"]),
    (triangle(lambda x: x.triu(0)), ["inverted_causal"]),
    (triangle(lambda x: x.triu(1)), ["inverted_causal"]),
    (triangle(lambda x: x.tril(1)), ["other_triangle"]),
    (filled_with_minus_1e9, ["minus_1e9"]),
    (causal_minus_1e9, ["minus_1e9"]),
    (heads(split=False, merge=False), ["heads_split_by_view", "heads_merged_by_view"]),
    (heads(scale=lambda d: 1.0), ["no_scaling"]),
    (heads(scale=lambda d: 0.3 if d == 8 else None), ["other_weights", "other_heads"]),
    (lambda Q, K, V: None, ["wrong_shape"]),
    (lambda Q, K, V: V, ["wrong_shape"]),
    (lambda Q, K: None, ["raised"]),
    (lambda Q, K, V: scores(Q, K).softmax(9), ["raised"]),
    (lambda Q, K, V: scores(Q, K).softmax(-1) @ V * (1.05 if Q.dtype == torch.half else 1), ["half_wrong"]),
    (lambda Q, K, V: scores(Q.float(), K.float()).softmax(-1) @ V, ["raised"]),
]


@pytest.mark.parametrize("wrong", range(len(OTHERS)))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_other_mistakes_are_named_too(wrong, language):
    fn, names = OTHERS[wrong]
    assert check_attention(fn, language).mistakes == names


def test_scaling_by_d_model_is_seen_where_the_heads_are_an_axis():
    def wrong(Q, K, V):
        d_model = Q.size(-1) * (Q.size(-3) if Q.ndim == 4 else 1)
        return (Q @ K.transpose(-2, -1) / d_model**0.5).softmax(-1) @ V

    assert check_attention(wrong).mistakes == ["scaling_by_d_model"]


def test_leaks_between_samples_in_four_dimensions_only():
    def wrong(Q, K, V):
        s = scores(Q, K).softmax(-1)
        return (s.roll(1, 1) if s.ndim == 4 else s) @ V

    assert check_attention(wrong).mistakes == ["batch_mixed"]


def test_notes_are_no_faults():
    report = check_attention(with_einsum)
    notes = {finding.property: finding.remark for finding in report.findings if finding.holds and finding.remark}
    assert notes == {"mask": MISTAKES["empty_nan"][0]}
    report = check_attention(with_capital_t, "zh")
    notes = {finding.property: finding.remark for finding in report.findings if finding.holds and finding.remark}
    assert notes == {"batch": MISTAKES["no_batch"][1]}

    def lowest(Q, K, V, mask=None):
        s = scores(Q, K)
        return (s if mask is None else s.masked_fill(~mask, torch.finfo(s.dtype).min)).softmax(-1) @ V

    report = check_attention(lowest)
    assert report.passed and MISTAKES["empty_mean"][0] in str(report)


def test_the_report_reads_line_by_line():
    assert str(check_attention(zoo.no_scaling)).splitlines() == [
        "✓ the output is (…, n, d_v)",
        "✓ the weights of each query sum to 1",
        "✗ the weights are softmax(QKᵀ/√d_k)",
        "  → the scores are not divided by √d_k",
        "✓ the output is weights · V",
        "✓ the order of the keys does not matter",
        "✓ large scores do not overflow",
        "✓ leading dimensions do not mix",
        "– each head attends on its own part of each word",
        "  → not tried: it takes no `num_heads`",
        "– a query looks exactly where mask is True",
        "  → not tried: it takes no `mask`",
        "– no word sees a later one, each sees itself",
        "  → not tried: it takes no `causal`",
        "✓ half precision works, too",
        "7 of 8 properties hold.",
    ]
    lines = str(check_attention(lambda Q, K, V: V, "zh")).splitlines()
    assert lines[:2] == ["✗ 输出的形状是 (…, n, d_v)", "  → 得到的是 (5, 7)，应该是 (3, 7)"]
    assert lines[2:4] == ["– 每个查询的注意力权重之和为 1", "  → 未检查：函数没能运行"]
    assert lines[-1] == "检查了 1 项，成立 0 项。"
    assert "ZeroDivisionError: division by zero" in str(check_attention(lambda Q, K, V: 1 / 0))


def test_both_languages_say_everything():
    for english, chinese in (*PROPERTIES.values(), *MISTAKES.values()):
        assert english.isascii() or re.search("[ᵀ√⁰…·]", english)
        assert re.search("[\u4e00-\u9fff]", chinese) and not re.search("[\u4e00-\u9fff] [\u4e00-\u9fff]", chinese)
        assert re.findall(r"{\w+}", english) == re.findall(r"{\w+}", chinese)


def test_the_check_leaves_the_global_generator_alone():
    state = torch.get_rng_state()
    check_attention(attn.attention)
    assert torch.equal(state, torch.get_rng_state())


# 苹果
languages = pytest.mark.parametrize("language", ["zh", "en"])


@pytest.fixture(scope="module")
def learned():
    """Each model once."""
    state = torch.get_rng_state()
    steps = {"attention": 200, "unordered": 40, "bag": 40, "alone": 40}
    models = {(l, c): senses.learn(l, c, steps=steps[c]) for l in ("zh", "en") for c in senses.CONTEXTS}
    assert torch.equal(state, torch.get_rng_state())
    return models


def unseen(language, size=300):
    known = set(senses.corpus(language)) | set(senses.demos(language))
    return [reading for reading in senses.corpus(language, 3 * size, seed=7) if reading not in known][:size]


@languages
def test_the_corpus(language):
    readings = senses.corpus(language)
    assert len(readings) == len(set(readings)) == 400 and readings == senses.corpus(language)
    assert readings != senses.corpus(language, seed=1) and senses.corpus(language, 5) == readings[:5]
    words = {word for reading in readings for word in reading.words}
    vocabulary = senses.vocabulary(language)
    assert words <= set(vocabulary) and len(set(vocabulary)) == len(vocabulary)
    assert 0.4 < sum(reading.sense == "fruit" for reading in readings) / 400 < 0.6
    targets = senses.GRAMMARS[language].targets
    assert all(reading.words[reading.at] in targets for reading in readings)
    held_out = {reading.words for reading in senses.demos(language)}
    assert not held_out & {reading.words for seed in range(5) for reading in senses.corpus(language, seed=seed)}
    assert len(senses.demos(language)) == 12
    both = [reading for reading in readings if sum(word in targets for word in reading.words) == 2]
    assert 0.6 < len(both) / 400 < 0.9


@languages
def test_a_word_with_two_senses_is_told_by_one_other_word(learned, language):
    model, readings, demos = learned[language, "attention"], unseen(language), senses.demos(language)
    assert senses.accuracy(model, readings) > 0.99 and senses.accuracy(model, senses.mirrored(language)) > 0.99
    assert senses.senses_of(model, demos) == [reading.sense for reading in demos]
    cues = [reading.words[at] for reading, at in zip(demos, senses.heaviest(model, demos), strict=True)]
    article = {"zh": ["吃", "电脑", "电脑", "吃"], "en": ["eating", "computers", "computers", "eat"]}
    assert cues[:4] == article[language]
    for reading in demos[:3]:
        assert model.weights([reading.words])[0, reading.at].max() > 0.5


@languages
def test_the_controls_fail(learned, language):
    readings, pairs = unseen(language), senses.mirrored(language)
    assert senses.accuracy(learned[language, "alone"], readings) < 0.65
    for context in ("alone", "bag", "unordered"):
        assert senses.accuracy(learned[language, context], pairs) == 0.5


@languages
def test_hiding_the_heaviest_word_changes_the_reading_and_hiding_another_does_not(learned, language):
    model, readings = learned[language, "attention"], unseen(language)
    heaviest = senses.heaviest(model, readings)
    others = [
        next(i for i in range(len(r.words)) if i not in (r.at, at)) for r, at in zip(readings, heaviest, strict=True)
    ]
    assert senses.flips(model, readings, heaviest) > 0.4 and senses.flips(model, readings, others) < 0.02


@languages
def test_the_two_senses_of_a_word_part(learned, language):
    model, (fruit, company) = learned[language, "attention"], senses.demos(language)[:2]
    before = model.vectors([fruit.words])[0, fruit.at], model.vectors([company.words])[0, company.at]
    assert torch.equal(*before)
    assert F.cosine_similarity(*model.mixed([fruit, company]), dim=0) < -0.8


@languages
def test_mirrored_pairs_hold_the_same_words(language):
    pairs = senses.mirrored(language)
    by_words = {}
    for reading in pairs:
        by_words.setdefault((tuple(sorted(reading.words)), reading.words[reading.at]), []).append(reading.sense)
    assert all(sorted(found) == ["company", "fruit"] for found in by_words.values()) and len(by_words) > 50


def test_contexts_weigh_as_they_say(learned):
    words = senses.demos("zh")[2].words
    n = len(words)
    alone, bag = (learned["zh", context].weights([words, words[:3]]) for context in ("alone", "bag"))
    assert torch.equal(alone[0], torch.eye(n)) and torch.equal(alone[1, :3], torch.eye(n)[:3])
    torch.testing.assert_close(bag[0], torch.full((n, n), 1 / n))
    assert bag[1, :, 3:].eq(0).all()
    hidden = learned["zh", "attention"].weights([words], hide=[2])
    assert hidden[0, :, 2].eq(0).all()
    torch.testing.assert_close(hidden.sum(-1), torch.ones(1, n))
    assert learned["zh", "bag"].weights([words], hide=[0])[0, :, 0].eq(0).all()


def test_the_spread_of_the_vectors():
    torch.manual_seed(0)
    wide, narrow = senses.Senses("zh", spread=1.0), senses.Senses("zh")
    assert 0.9 < wide.embedding.weight.std() < 1.1 and 0.27 < narrow.embedding.weight.std() < 0.33


CONSOLE = """
from attn.labs.check import check_attention
def mine(Q, K, V):
    return (Q @ K.mT).softmax(-1) @ V
print(check_attention(mine, "zh"))
print(check_attention(mine, "en"))
"""


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "cp1252", "utf-8"])
def test_a_report_can_be_printed_on_any_console(encoding):
    environment = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-c", CONSOLE], capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    text = done.stdout.decode(encoding)
    held, wrong = ("✓", "✗") if encoding == "utf-8" else ("+", "x")
    assert f"{held} the output is (" in text and f"{wrong} the weights are softmax(QK" in text
    if encoding == "gbk":
        assert "x 注意力权重等于 softmax(QK^T/√d_k)" in text
