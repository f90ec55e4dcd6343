"""The pieces that readers write are answered rightly: what is right, which slip it is, or what is wrong in numbers."""

import pytest
import torch

from attn.labs.practice import RIGHT, SAYS, SLIPS, practice

LANGUAGES = ("en", "zh")
slips = pytest.mark.parametrize(("task", "slip"), [(task, slip) for task in SLIPS for slip in SLIPS[task]])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("task", RIGHT)
def test_what_is_right(task, language):
    state = torch.get_rng_state()
    right = {"en": f"{task}: right, for all 3 inputs", "zh": f"{task}：对了，3组数都对"}
    assert practice(task, RIGHT[task], language) == right[language]
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("language", LANGUAGES)
@slips
def test_each_slip_is_named(task, slip, language):
    colon = "：" if language == "zh" else ": "
    assert practice(task, SLIPS[task][slip], language) == f"{task}{colon}{SAYS[slip][language == 'zh']}"


@pytest.mark.parametrize("task", RIGHT)
def test_what_is_not_written(task):
    told = f"{task}: still to be written, it gives nothing"
    assert practice(task, lambda *_: None) == practice(task, lambda *_: ...) == told


@pytest.mark.parametrize("task", RIGHT)
def test_whatever_else_comes_gets_a_sentence(task):
    def broken(*_):
        raise KeyError("x")

    for function in (broken, lambda: 1, lambda *_: 1, lambda *_: torch.ones(()), lambda *_: [], lambda *_: "scores"):
        told = practice(task, function)
        assert told.startswith(f"{task}: ") and "right" not in told, told


def test_a_wrong_number_is_shown_with_the_right_one():
    told = practice("scores", lambda Q, K: RIGHT["scores"](Q, K) + 0.5)
    came, want = (float(word.strip(",;")) for word in told.split() if word.strip(",;-").replace(".", "").isdigit())
    assert came - want == pytest.approx(0.5, abs=0.002)
    assert "(3, 4), (5, 4)" in told


def test_inputs_are_the_reader_s_own():
    """A piece that changes what it is given is not thereby right, or wrong."""

    def scores(Q, K):
        right = RIGHT["scores"](Q, K)
        Q.zero_()
        return right

    assert practice("scores", scores).endswith("for all 3 inputs")


def test_names_must_be_known():
    with pytest.raises(ValueError, match="task must be one of scores, weights"):
        practice("score", print)
    with pytest.raises(ValueError, match="language must be 'en' or 'zh': it is 'fr'"):
        practice("scores", print, "fr")
