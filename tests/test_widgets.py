"""The figures one can touch: whatever a reader enters, they show what attn computes, or a sentence."""

import itertools
import random

import pages
import pytest
import torch
import yaml

from attn import attention, attention_scores, attention_weights
from attn.labs.senses import demos, learn, senses_of

STEPS = {"scores": 2, "scaled": 3, "weights": 2, "output": 1}  # the digits that the page shows
language = pytest.mark.parametrize("language", pages.LANGUAGES)


def widget(visit, path, element):
    tab = visit(path)
    tab.locator(f"{element} .widget").wait_for()
    return tab.locator(element)


def enter(figure, Q, K, V):
    """Write three matrices, row by row, into the cells, after choosing how many there are."""
    words, keys = figure.locator("select").all()
    words.select_option(str(len(Q)))
    keys.select_option(str(len(Q[0])))
    values = [value for matrix in (Q, K, V) for row in matrix for value in row]
    for cell, value in zip(figure.locator("input:not([type=checkbox])").all(), values, strict=True):
        cell.fill(str(value))


def shown(figure, step, shape):
    cells = figure.locator(f"td.{step}")
    values = cells.evaluate_all("cells => cells.map(cell => [Number(cell.dataset.value), cell.textContent])")
    numbers = torch.tensor([number for number, _ in values], dtype=torch.float64).reshape(shape)
    return numbers, [text for _, text in values]


def compare(figure, Q, K, V, causal):
    """Each number of each step is what attn gives, and is written as it is rounded on the page."""
    Q, K, V = (torch.tensor(matrix, dtype=torch.float64) for matrix in (Q, K, V))
    want = {
        "scores": attention_scores(Q, K, scale=1.0),
        "scaled": attention_scores(Q, K),
        "weights": attention_weights(Q, K, causal=causal),
        "output": attention(Q, K, V, causal=causal),
    }
    for step, digits in STEPS.items():
        numbers, texts = shown(figure, step, want[step].shape)
        torch.testing.assert_close(numbers, want[step], rtol=1e-9, atol=1e-9)
        for text, value in zip(texts, want[step].flatten().tolist(), strict=True):
            if text != "−∞":
                assert abs(float(text.replace("−", "-")) - value) <= 0.5000001 * 10**-digits, (step, text, value)


def numbers(choose, rows, columns, size):
    return [[round(choose.uniform(-size, size), 2) for _ in range(columns)] for _ in range(rows)]


def test_the_worked_example_shows_what_attn_computes(visit):
    figure = widget(visit, "zh/by-hand/", "worked-example")
    choose = random.Random(0)
    for n, d, size in itertools.product((2, 3, 4), (1, 2, 3), (1, 10)):
        Q, K, V = numbers(choose, n, d, size), numbers(choose, n, d, size), numbers(choose, n, 1, 100)
        enter(figure, Q, K, V)
        for causal in (False, True):
            figure.locator("input[type=checkbox]").set_checked(causal)
            compare(figure, Q, K, V, causal)


@pytest.mark.parametrize("size", [0, 1e-6, 1000])
def test_the_worked_example_stands_extremes(visit, size):
    figure = widget(visit, "en/by-hand/", "worked-example")
    Q, K, V = [[size, -size], [-size, size]], [[size, size], [-size, size]], [[size], [-size]]
    enter(figure, Q, K, V)
    compare(figure, Q, K, V, causal=False)


@language
@pytest.mark.parametrize("text", ["", "x", "1/2", "1001", "-1e9", "NaN", "Infinity", "1 2"])
def test_bad_input_gets_a_sentence(visit, language, text):
    figure = widget(visit, f"{language}/by-hand/", "worked-example")
    figure.locator("input:not([type=checkbox])").nth(1).fill(text)
    says = figure.get_by_role("status").inner_text()
    assert "Q" in says and "1" in says and "2" in says and "1000" in says, says
    assert figure.locator(".stale td.weights").count() == 4
    assert "NaN" not in figure.inner_text()
    figure.get_by_role("button").first.click()  # start again
    compare(figure, [[1, 0], [0, 1]], [[1, 0], [0, 1]], [[10], [20]], causal=False)


@language
def test_the_worked_example_begins_with_the_numbers_of_the_page(visit, language):
    figure = widget(visit, f"{language}/by-hand/", "worked-example")
    text = pages.read(f"{language}/by-hand.md")
    words = next(yaml.safe_load(fence.code) for fence in pages.fences(text) if 'module="worked"' in fence.info)
    compare(figure, words["Q"], words["K"], words["V"], causal=False)
    assert "0.67" in figure.get_by_role("status").inner_text()


@pytest.mark.parametrize(("text", "value"), [("１．５", 1.5), ("−2", -2.0), ("1,5", 1.5), (" 3 ", 3.0), ("1000", 1e3)])
def test_numbers_as_people_type_them(visit, text, value):
    figure = widget(visit, "zh/by-hand/", "worked-example")
    figure.locator("input:not([type=checkbox])").first.fill(text)
    compare(figure, [[value, 0], [0, 1]], [[1, 0], [0, 1]], [[10], [20]], causal=False)


def test_a_row_is_chosen_with_the_keyboard(visit):
    figure = widget(visit, "en/by-hand/", "worked-example")
    button = figure.locator("tbody button").nth(1)
    button.focus()
    figure.page.keyboard.press("Enter")
    assert "second word" in figure.get_by_role("status").inner_text()
    assert figure.locator("tbody button").nth(1).evaluate("button => button === document.activeElement")


@language
def test_the_slider_shows_what_attn_computes(visit, language):
    figure = widget(visit, f"{language}/why-scale/", "scale-slider")
    text = pages.read(f"{language}/why-scale.md")
    words = next(yaml.safe_load(fence.code) for fence in pages.fences(text) if 'module="bars"' in fence.info)
    unit = torch.tensor(words["scores"], dtype=torch.float64)[:, None] / words["d_k"] ** 0.5
    slider = figure.get_by_role("slider")
    slider.focus()
    figure.page.keyboard.press("Home")
    for exponent in range(1, 11):
        d_k = 2**exponent
        assert figure.locator("output").inner_text() == f"dₖ = {d_k}"
        for panel, scale in zip(figure.locator(".panels > div").all(), (d_k**0.5, 1.0), strict=True):
            weights = attention_weights(torch.ones(1, 1, dtype=torch.float64), unit, scale=scale)[0]
            bars = panel.locator(".bar").evaluate_all("bars => bars.map(bar => Number(bar.dataset.value))")
            torch.testing.assert_close(torch.tensor(bars, dtype=torch.float64), weights, rtol=1e-9, atol=1e-12)
            jacobian = torch.diag(weights) - weights[:, None] * weights
            size = float(panel.get_attribute("data-gradient"))
            assert size == pytest.approx(float(jacobian.norm()), rel=1e-6, abs=1e-12)
            assert f"{weights[0]:.2f}" in panel.inner_text()
        figure.page.keyboard.press("ArrowRight")


@language
def test_the_explorer_shows_what_the_trained_model_answers(visit, language):
    torch.set_num_threads(1)
    model = learn(language)
    figure = widget(visit, f"{language}/notebooks/apple/", "sense-explorer")
    for i, reading in enumerate(demos(language)):
        figure.locator("select").select_option(str(i))
        for hide in [None, *(j for j in range(len(reading.words)) if j != reading.at)]:
            if hide is not None:
                figure.get_by_role("button").nth(hide).click()
            hidden = None if hide is None else [hide]
            with torch.no_grad():
                weights = model.weights(model.read([reading]), None if hide is None else torch.tensor(hidden))[0]
            values = figure.locator("small").evaluate_all("cells => cells.map(cell => Number(cell.dataset.value))")
            torch.testing.assert_close(torch.tensor(values), weights, rtol=0, atol=1e-3)
            assert senses_of(model, [reading], hidden)[0] in figure.get_by_role("status").inner_text()
            if hide is not None:
                figure.get_by_role("button").nth(hide).click()


@pytest.mark.parametrize("path", ["by-hand/", "why-scale/", "notebooks/apple/"])
@language
def test_without_script_the_picture_is_there(visit, language, path):
    tab = visit(f"{language}/{path}", java_script_enabled=False)
    picture = tab.locator(":is(worked-example, scale-slider, sense-explorer) svg")
    assert picture.count() == 1 and picture.is_visible()
