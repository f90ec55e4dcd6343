"""What the labs claim: mistakes are recognized, right functions pass, 苹果 is told apart by the word it looks at."""

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
        n, m = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(n, m).triu(1 + m - n).bool(), -torch.inf)
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
    future = torch.ones_like(s).triu(1 + K.size(-2) - Q.size(-2)).bool()
    return (s.masked_fill(future, -1e9) if causal else s).softmax(-1) @ V


def naive(Q, K, V):
    powers = scores(Q, K).exp()
    return powers / powers.sum(-1, keepdim=True) @ V


def over_samples(Q, K, V):
    s = scores(Q, K)
    return (s.softmax(-1) if s.ndim == 2 else s.flatten(0, -2).softmax(-1).roll(1, 0).view(s.shape)) @ V


def heads(split=True, merge=True, scale=None, turn=False):
    def wrong(Q, K, V, num_heads=1):
        d_model = Q.size(-1)
        Q, K, V = (
            x.unflatten(-1, (num_heads, -1)).transpose(1, 2) if split else x.reshape(len(x), num_heads, x.size(1), -1)
            for x in (Q, K, V)
        )
        output = F.scaled_dot_product_attention(Q, K, V, scale=None if scale is None else scale(d_model))
        output = output.flip(1) if turn else output
        return output.transpose(1, 2).flatten(2) if merge else output.reshape(Q.size(0), Q.size(2), -1)

    return wrong


def with_the_largest_of_all(Q, K, V):
    powers = (scores(Q, K) - scores(Q, K).max()).exp()
    return powers / powers.sum(-1, keepdim=True) @ V


def in_place(Q, K, V):
    Q /= K.size(-1) ** 0.5
    return (Q @ K.mT).softmax(-1) @ V


class Remembering(torch.nn.Module):
    """Adds a little of the call before."""

    before = 0.0

    def forward(self, Q, K, V):
        output = scores(Q, K).softmax(-1) @ V + self.before
        self.before = 1e-3 if Q.shape[-2:] == (4, 8) and K.size(-2) == 6 else 0.0
        return output


def mask_of_the_first(Q, K, V, mask=None):
    s = scores(Q, K)
    if mask is None:
        return s.softmax(-1) @ V
    return s.masked_fill(~(mask[:1] if mask.ndim > 2 else mask), torch.finfo(s.dtype).min).softmax(-1) @ V


def filled(number):
    def wrong(Q, K, V, mask=None):
        s = scores(Q, K)
        return (s if mask is None else s.masked_fill(~mask, number)).softmax(-1) @ V

    return wrong


def turned_if_square(Q, K, V, mask=None):
    s = scores(Q, K)
    if mask is None:
        return s.softmax(-1) @ V
    mask = mask.mT if mask.size(-1) == mask.size(-2) else mask
    return s.masked_fill(~mask, torch.finfo(s.dtype).min).softmax(-1) @ V


def causal_filled(number):
    def wrong(Q, K, V, causal=False):
        s = scores(Q, K)
        future = torch.ones_like(s).triu(1 + K.size(-2) - Q.size(-2)).bool()
        return (s.masked_fill(future, number) if causal else s).softmax(-1) @ V

    return wrong


def one_or_the_other(Q, K, V, mask=None, causal=False):
    s = scores(Q, K)
    if causal:
        mask = torch.ones(s.shape[-2:]).tril(K.size(-2) - Q.size(-2)).bool()
    return (s if mask is None else s.masked_fill(~mask, torch.finfo(s.dtype).min)).softmax(-1) @ V


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
    (lambda Q, K, V: (Q @ K.mT / 8**0.5).softmax(-1) @ V, ["scaling_by_a_constant"]),
    (lambda Q, K, V: (Q @ K.mT * 0.3).softmax(-1) @ V, ["scaling_by_a_constant"]),
    (lambda Q, K, V: (Q @ K.mT / V.size(-1) ** 0.5).softmax(-1) @ V, ["scaling_by_d_v"]),
    (lambda Q, K, V: (Q @ K.mT / K.size(-2) ** 0.5).softmax(-1) @ V, ["scaling_by_length"]),
    (lambda Q, K, V: (Q @ K.mT / Q.size(-2) ** 0.5).softmax(-1) @ V, ["scaling_by_length"]),
    (lambda Q, K, V: (Q @ K.mT / (K.size(-1) - 1) ** 0.5).softmax(-1) @ V, ["other_weights"]),
    (lambda Q, K, V: (Q @ K.mT / int(K.size(-1) ** 0.5)).softmax(-1) @ V, ["other_weights"]),
    (lambda Q, K, V: (scores(Q, K) * 1.01).softmax(-1) @ V, ["other_weights"]),
    (lambda Q, K, V: scores(Q, K).clamp(-20, 20).softmax(-1) @ V, ["cut_off"]),
    (lambda Q, K, V: scores(Q, K).softmax(-1) @ V + (Q if Q.shape == V.shape else 0), ["other_mix"]),
    (lambda Q, K, V: scores(Q, K).softmax(-1) @ (K if K.shape == V.shape else V), ["other_mix"]),
    (lambda Q, K, V: (scores(Q, K).softmax(-1) @ V).squeeze(), ["wrong_shape"]),
    (lambda Q, K, V: (scores(Q, K).softmax(-1) @ V).float(), ["other_dtype"]),
    (with_the_largest_of_all, ["underflow"]),
    (in_place, ["input_changed"]),
    (Remembering(), ["another_result"]),
    (mask_of_the_first, ["mask_of_another"]),
    (filled(-100), ["filled_too_high"]),
    (turned_if_square, ["mask_turned"]),
    (one_or_the_other, ["mask_lost"]),
    (causal_filled(-100), ["filled_too_high"]),
    (triangle(lambda x: x.tril()), ["first_lined_up"]),
    (heads(scale=lambda d: 0.5), ["scaling_by_a_constant", "other_heads"]),
    (heads(merge=True, turn=True), ["other_heads"]),
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
        "– each head works on its own part of Q, K and V",
        "  → not tried: it takes no `num_heads`",
        "– a query looks exactly where mask is True",
        "  → not tried: it takes no `mask`",
        "– no word sees a later one, each sees itself",
        "  → not tried: it takes no `causal`",
        "✓ float16 gives about the same",
        "✓ the same inputs give the same output, and stay as they are",
        "8 of 9 checks found nothing wrong.",
    ]
    lines = str(check_attention(lambda Q, K, V: V, "zh")).splitlines()
    assert lines[:2] == ["✗ 输出的形状是 (…, n, d_v)", "  → 得到的是 (5, 7)，应该是 (3, 7)"]
    assert lines[2:4] == ["– 每个查询的注意力权重之和为 1", "  → 未检查：函数没能运行"]
    assert lines[-1] == "检查了 1 项，0 项没有发现问题。"
    assert "ZeroDivisionError: division by zero" in str(check_attention(lambda Q, K, V: 1 / 0))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("encoding", ["gbk", "ascii", "cp1252", "utf-8"])
def test_the_report_can_be_printed_on_any_console(language, encoding):
    """All of it on a console that has all its signs; on others, words in place of signs, and never an error."""
    code = f"""
from attn.labs import check, zoo
print(check.check_attention(zoo.no_scaling, language={language!r}))
print(check.check_attention(lambda Q, K, V: V, language={language!r}))
for texts in (*check.PROPERTIES.values(), *check.MISTAKES.values()):
    print(check.Finding("shape", False, (), texts[0], texts[1]))
"""
    environment = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    printed = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    first = printed.decode(encoding).splitlines()[0]
    marks = {"utf-8": "✓ "}.get(encoding, "ok ")
    assert first.startswith(marks)
    if language == "zh" and encoding in ("gbk", "utf-8"):
        assert first == f"{marks}输出的形状是 (…, n, d_v)"
        assert "分数没有除以 √d_k" in printed.decode(encoding)


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
RIVALS = ("itself", "alike", "near", "keys", "keys, near")


@pytest.fixture(scope="module")
def learned():
    """Each model once, the layer with attention from two seeds."""
    state = torch.get_rng_state()
    models = {(l, context): senses.learn(l, context) for l in ("zh", "en") for context in senses.CONTEXTS}
    models |= {(l, "again"): senses.learn(l, seed=3) for l in ("zh", "en")}
    assert torch.equal(state, torch.get_rng_state())
    return models


def clue_of(model, reading, at):
    """Whether the word at a position is a clue of the reading's own sense."""
    return reading.words[at] in model.targets[reading.words[reading.at]][reading.sense]


@languages
def test_the_corpus(language):
    readings, g = senses.corpus(language), senses.GRAMMARS[language]
    sentences = {reading.words for reading in readings}
    assert len(sentences) == 300 and len(readings) == len(set(readings)) and readings == senses.corpus(language)
    assert readings != senses.corpus(language, seed=1) and {r.words for r in senses.corpus(language, 5)} < sentences
    words = {word for reading in readings for word in reading.words}
    vocabulary = senses.vocabulary(language)
    assert words == set(vocabulary) and len(set(vocabulary)) == len(vocabulary)
    for word, kinds in g.targets.items():
        found = [reading.sense for reading in readings if reading.words[reading.at] == word]
        assert set(found) == set(kinds) and all(0.35 < found.count(sense) / len(found) < 0.65 for sense in kinds)
    held_out = {r.words for part in (*senses.exam(language).values(), senses.demos(language)) for r in part}
    together = {senses.clues_of(language, words) for words in held_out if len(senses.clues_of(language, words)) == 2}
    for seed in range(3):
        learned = {reading.words for reading in senses.corpus(language, seed=seed)}
        assert not held_out & learned
        assert not together & {senses.clues_of(language, words) for words in learned}
    two = [words for words in sentences if len(senses.clues_of(language, words)) == 2]
    assert 0.6 < len(two) / 300 < 0.85


@languages
def test_no_two_senses_share_a_clue(language):
    clues = [clue for kinds in senses.GRAMMARS[language].targets.values() for group in kinds.values() for clue in group]
    assert len(clues) == len(set(clues)) == 24


@languages
def test_clues_come_in_any_order(language):
    """In the corpus the nearer clue is the word's own about as often as it is the other's."""
    own = []
    for reading in senses.corpus(language, 2000):
        clues = [i for i, word in enumerate(reading.words) if senses.clues_of(language, [word])]
        if len(clues) == 2:
            nearer = min(clues, key=lambda i: abs(i - reading.at))
            kinds = senses.GRAMMARS[language].targets[reading.words[reading.at]]
            own.append(reading.words[nearer] in kinds[reading.sense])
    assert len(own) > 2000 and 0.45 < sum(own) / len(own) < 0.55


@languages
def test_the_exam_is_complete(language):
    """Each sentence of two words comes with the two swapped, its clues where they are."""
    parts = senses.exam(language)
    counts = {kind: len({reading.words for reading in part}) for kind, part in parts.items()}
    assert counts == {"one": 48, "same": 192, "differ": 192}
    for kind in ("same", "differ"):
        by_words = {}
        for reading in parts[kind]:
            by_words.setdefault(reading.words, []).append(reading)
        for words, (first, second) in by_words.items():
            swapped = list(words)
            swapped[first.at], swapped[second.at] = words[second.at], words[first.at]
            other = by_words[tuple(swapped)]
            assert {(r.words[r.at], r.sense) for r in other} == {(r.words[r.at], r.sense) for r in (first, second)}
            grew = [list(senses.GRAMMARS[language].targets[r.words[r.at]]).index(r.sense) for r in (first, second)]
            assert (grew[0] == grew[1]) == (kind == "same")


@languages
@pytest.mark.parametrize("seed", ["attention", "again"])
def test_attention_answers_all_and_looks_at_the_own_clue(learned, language, seed):
    model, parts = learned[language, seed], senses.exam(language)
    for part in parts.values():
        assert senses.accuracy(model, part) > 0.97
    for readings in (parts["differ"], senses.demos(language)):
        cues = [clue_of(model, r, at) for r, at in zip(readings, senses.heaviest(model, readings), strict=True)]
        assert sum(cues) / len(cues) > 0.9
    assert senses.senses_of(model, senses.demos(language)) == [reading.sense for reading in senses.demos(language)]


@languages
@pytest.mark.parametrize("context", RIVALS)
def test_without_a_query_exactly_half(learned, language, context):
    """Whatever was learned: trained or not, no rival can do better where the two words of a sentence differ in kind."""
    parts = senses.exam(language)
    torch.manual_seed(5)
    for model in (learned[language, context], senses.Senses(language, context)):
        assert senses.accuracy(model, parts["differ"]) == 0.5
    known = 0.5 if context == "itself" else 1.0
    for kind in ("one", "same"):
        assert abs(senses.accuracy(learned[language, context], parts[kind]) - known) < 0.03


@languages
def test_who_asks_may_be_heard_afterwards(learned, language):
    assert senses.accuracy(learned[language, "afterwards"], senses.exam(language)["differ"]) > 0.9


@languages
@pytest.mark.parametrize("context", ["attention", "alike"])
def test_hiding_the_clue_changes_answers_and_hiding_another_word_does_not(learned, language, context):
    """Also where all weights are the same: what a word contributes depends on its value, too."""
    model, readings = learned[language, context], senses.exam(language)["one"]
    cues = [next(i for i in range(len(r.words)) if clue_of(model, r, i)) for r in readings]
    assert senses.flips(model, readings, cues) == 0.5
    cases = [(r, i) for r, cue in zip(readings, cues, strict=True) for i in range(len(r.words)) if i not in (cue, r.at)]
    others, hidden = zip(*cases, strict=True)
    assert senses.flips(model, others, hidden) < 0.02


@languages
def test_the_two_senses_of_a_word_part(learned, language):
    model, readings = learned[language, "attention"], senses.demos(language)[:2]
    first, second = model.own(model.read(readings))
    assert torch.equal(first, second)
    assert F.cosine_similarity(*model.mixed(model.read(readings)), dim=0) < -0.9


def test_contexts_weigh_as_they_say(learned):
    readings = senses.demos("zh")[2:4]
    n = len(readings[0].words)
    batch = senses.Batch(*(torch.cat([x, x]) for x in learned["zh", "alike"].read(readings)))
    weights = {context: learned["zh", context].weights(batch) for context in senses.CONTEXTS}
    assert torch.equal(weights["itself"], F.one_hot(batch.at, n).float())
    places = [i for i in range(n) if i not in batch.at]
    for context in ("alike", "afterwards"):
        torch.testing.assert_close(weights[context][:, places], torch.full((4, n - 2), 1 / (n - 2)))
    assert torch.equal(weights["keys"][0], weights["keys"][1]) and not torch.equal(weights["keys"], weights["alike"])
    assert not torch.equal(weights["near"][0], weights["near"][1])
    assert not torch.equal(weights["attention"][0], weights["attention"][1])
    for context in senses.CONTEXTS[1:]:
        torch.testing.assert_close(weights[context].sum(-1), torch.ones(4))
        assert weights[context][:, batch.at.unique()].eq(0).all()  # no word looks at one that is asked about
        hidden = learned["zh", context].weights(batch, torch.tensor([1, 1, 3, 3]))
        assert hidden[torch.arange(4), [1, 1, 3, 3]].eq(0).all()
        torch.testing.assert_close(hidden.sum(-1), torch.ones(4))


def test_behind_the_end_of_a_sentence_there_is_nothing():
    short, long = senses.demos("en")[0], senses.demos("en")[2]
    model = senses.Senses("en")
    n = len(short.words)
    both = model.weights(model.read([short, long]))
    torch.testing.assert_close(both[0, :n], model.weights(model.read([short]))[0])
    assert both[0, n:].eq(0).all()
