"""The figures one can touch: whatever a reader enters, they show what attn computes, or a sentence."""

import itertools
import json
import random
import re

import pages
import pytest
import torch
import yaml

from attn import KVCache, attention, attention_scores, attention_weights
from attn.labs import lineup
from attn.labs.senses import demos, learn, senses_of

STEPS = {"scores": 2, "scaled": 3, "weights": 2, "output": 1}  # the digits that the page shows
GUESS = re.compile(r"^!!! question.*\n(?:\n|    .*\n)*?    - ", re.M)
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
    for cell, value in zip(figure.locator("td input").all(), values, strict=True):
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
            figure.locator("input[type=checkbox]").first.set_checked(causal)
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
    figure.locator("td input").nth(1).fill(text)
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
    figure.locator('[data-at="weights 0 0"] button').click()
    assert "0.67" in figure.get_by_role("status").inner_text()


@pytest.mark.parametrize(("text", "value"), [("１．５", 1.5), ("−2", -2.0), ("1,5", 1.5), (" 3 ", 3.0), ("1000", 1e3)])
def test_numbers_as_people_type_them(visit, text, value):
    figure = widget(visit, "zh/by-hand/", "worked-example")
    figure.locator("td input").first.fill(text)
    compare(figure, [[value, 0], [0, 1]], [[1, 0], [0, 1]], [[10], [20]], causal=False)


def test_every_number_says_what_it_is_made_of(visit):
    """Its terms give it, its sources are marked, a thread runs from each, and what is written can be recomputed."""
    figure = widget(visit, "en/by-hand/", "worked-example")
    choose = random.Random(1)
    Q, K, V = numbers(choose, 3, 2, 3), numbers(choose, 3, 2, 3), numbers(choose, 3, 1, 20)
    enter(figure, Q, K, V)
    figure.locator("input[type=checkbox]").first.check()
    tokens = {"scores": 4, "scaled": 1, "output": 6}
    for at, value in figure.locator("td:has(button)").evaluate_all(
        "cells => cells.map(cell => [cell.dataset.at, Number(cell.dataset.value)])"
    ):
        step, i, j = at.split()
        figure.locator(f'[data-at="{at}"] button').click()
        hidden = int(j) > int(i) and step in ("scaled", "weights")
        terms = json.loads(figure.locator(".sum").get_attribute("data-terms"))
        sources = figure.locator(".source").count()
        assert figure.locator(".threads path").count() == sources == (tokens.get(step) or int(i) + 1)
        text = figure.locator(".sum").inner_text()
        if hidden:
            assert "−∞" in text
            continue
        assert sum(terms) == pytest.approx(value, rel=1e-9, abs=1e-12)
        made, written = text.split(" = ")
        assert evaluated(made) == pytest.approx(float(written.replace("−", "-")), rel=0.02, abs=0.06), text


def evaluated(sum_in_words):
    """What a sum like 0.67 × 10 + 0.33 × (−20) comes to."""
    code = sum_in_words.replace("×", "*").replace("÷", "/").replace("−", "-")
    code = re.sub(r"√(\d+)", r"(\1 ** 0.5)", re.sub(r"e\^(\([^)]*\)|[\d.]+)", r"(2.718281828 ** \1)", code))
    return eval(code, {"__builtins__": {}})


def test_a_number_is_asked_with_the_keyboard(visit):
    figure = widget(visit, "en/by-hand/", "worked-example")
    figure.locator('[data-at="output 1 0"] button').focus()
    figure.page.keyboard.press("Enter")
    assert "0.33 × 10 + 0.67 × 20 = 16.7" in figure.get_by_role("status").inner_text()
    assert figure.locator('[data-at="output 1 0"] button').evaluate("button => button === document.activeElement")


def test_a_covered_number_is_guessed_first(visit):
    figure = widget(visit, "en/by-hand/", "worked-example")
    figure.get_by_label("guess first").check()
    assert "0.67" not in figure.inner_text() and "13.3" not in figure.inner_text()
    figure.locator('[data-at="output 0 0"] button').click()
    figure.locator("form input").fill("13")
    figure.page.keyboard.press("Enter")
    assert "13.3" in figure.get_by_role("status").inner_text() and "16.7" not in figure.inner_text()


def test_all_numbers_are_played(visit):
    figure = widget(visit, "en/by-hand/", "worked-example")
    figure.evaluate(
        """(element) => {
          element.dataset.pace = 1;
          window.seen = [];
          const sum = element.querySelector(".sum");
          new MutationObserver(() => seen.push(sum.textContent)).observe(sum, { childList: true });
        }"""
    )
    figure.get_by_role("button", name="play all").click()
    figure.page.wait_for_function("seen.filter(Boolean).length >= 14")
    seen = [text for text in figure.page.evaluate("seen") if text]
    assert len(seen) == 14 and seen[0].startswith("1 × 1") and seen[-1].endswith("= 16.7")
    figure.get_by_role("button", name="play all").wait_for()  # it has ended, and can be played again


@language
def test_the_aimed_query_gives_what_attn_computes(visit, language):
    """For many queries and both scales; the output never leaves the triangle of the values."""
    figure = widget(visit, f"{language}/query-key-value/", "aim-query")
    text = pages.read(f"{language}/query-key-value.md")
    words = next(yaml.safe_load(fence.code) for fence in pages.fences(text) if 'module="aim"' in fence.info)
    K, V = (torch.tensor(words[name], dtype=torch.float64) for name in ("keys", "values"))
    choose = random.Random(0)
    queries = [
        [4.0, 4.0],
        [-4.0, -4.0],
        [0.0, 0.0],
        *([round(choose.uniform(-4, 4), 1) for _ in "xy"] for _ in range(30)),
    ]
    for i, q in enumerate(queries):
        figure.locator("input[type=checkbox]").first.set_checked(i % 2 == 0)
        for slider, value in zip(figure.get_by_role("slider").all(), q, strict=True):
            slider.fill(str(value))
        Q = torch.tensor([q], dtype=torch.float64)
        scale = None if i % 2 == 0 else 1.0
        values = {
            name: torch.tensor(figure.locator(f"td.{name} span").evaluate_all("all => all.map(e => +e.dataset.value)"))
            for name in ("score", "weight")
        }
        want = attention_weights(Q, K, scale=scale)[0]
        torch.testing.assert_close(
            values["score"].double(), attention_scores(Q, K, scale=scale)[0], rtol=1e-6, atol=1e-6
        )
        torch.testing.assert_close(values["weight"].double(), want, rtol=1e-5, atol=1e-7)
        output = torch.tensor(json.loads(figure.locator(".dot").get_attribute("data-value")), dtype=torch.float64)
        torch.testing.assert_close(output, attention(Q, K, V, scale=scale)[0], rtol=1e-9, atol=1e-9)
        corners = torch.linalg.solve(
            torch.cat([V.T, torch.ones(1, 3).double()]), torch.cat([output, torch.ones(1).double()])
        )
        assert corners.min() > -1e-9, "the dot has left the triangle"
        assert f"{want.max():.2f}" in figure.get_by_role("status").inner_text()


def test_three_tasks_of_the_query_can_be_done(visit):
    figure = widget(visit, "en/query-key-value/", "aim-query")
    sliders = figure.get_by_role("slider").all()
    for q in ([4, 0], [-4, -4], [4, -4]):
        for slider, value in zip(sliders, q, strict=True):
            slider.fill(str(value))
    assert figure.locator(".tasks .done").count() == 3


def test_the_query_is_dragged_and_guessed(visit):
    figure = widget(visit, "en/query-key-value/", "aim-query")
    figure.get_by_label("guess first").check()
    plane = figure.locator("svg.aims")
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    mouse = figure.page.mouse
    mouse.move(box["x"] + box["width"] * 5 / 8, box["y"] + box["height"] * 3 / 8)  # the tip of (1, 1)
    mouse.down()
    mouse.move(box["x"] + box["width"] * 7 / 8, box["y"] + box["height"] / 2)
    mouse.up()
    assert [float(slider.input_value()) for slider in figure.get_by_role("slider").all()] == [3, 0]
    assert figure.locator(".dot").evaluate("dot => getComputedStyle(dot).visibility") == "hidden"
    field = figure.locator("svg.guessing")
    field.focus()
    figure.page.keyboard.press("ArrowRight")
    figure.get_by_role("button", name="show the dot").click()
    assert "You were" in figure.get_by_role("status").inner_text()
    assert figure.locator(".dot").evaluate("dot => getComputedStyle(dot).visibility") == "visible"


@language
def test_the_detective_hears_what_the_tests_say(visit, language):
    figure = widget(visit, f"{language}/notebooks/bug-zoo/", "bug-detective")
    words = json.loads(figure.get_attribute("data-words"))
    assert words["table"] == lineup.verdicts()
    for _ in range(3):
        culprit = figure.get_attribute("data-culprit")
        tests, cages = figure.locator("ul").nth(0), figure.locator("ul").nth(1)
        for i, test in enumerate(lineup.TESTS):
            button = tests.get_by_role("button").nth(list(words["tests"]).index(test))
            button.click()
            assert button.inner_text().endswith("✓" if words["table"][culprit][test] else "✗"), (i, test)
        fits = cages.locator("button:not(.dark)")
        assert fits.count() == 1 and fits.inner_text() == words["names"][culprit]
        fits.click()
        assert words["names"][culprit] in figure.get_by_role("status").inner_text()
        assert words["average"] in figure.get_by_role("status").inner_text()
        figure.locator(".widget > button").click()
        assert figure.get_attribute("data-culprit") != culprit


@language
def test_writing_on_counts_what_a_cache_computes(visit, language):
    figure = widget(visit, f"{language}/deeper/kv-cache/", "write-on")
    words = json.loads(figure.get_attribute("data-words"))
    n = len(words["sentence"])
    for step in range(1, n + 1):
        again, once = (count.get_attribute("data-total") for count in figure.locator("[data-total]").all())
        cache, computed = KVCache(capacity=n), 0
        for _ in range(step):
            new = torch.ones(1, 1)
            cache.append(new, new)
            computed += len(new)
        assert (int(again), int(once)) == (step * (step + 1) // 2, computed)
        if step < n:
            figure.get_by_role("button").first.click()
    assert figure.get_by_role("button").first.is_disabled()
    for context, layers, heads in ((0, 0, 0), (7, 4, 5), (7, 2, 3)):
        for slider, value in zip(figure.get_by_role("slider").all(), (10 + context, 3 + layers, heads), strict=True):
            slider.fill(str(value))
        size = 2 ** (10 + context) * 2 ** (3 + layers) * 2**heads * 2 * 128 * 2
        assert int(figure.locator("output").get_attribute("data-bytes")) == size
    assert "16 GiB" in figure.locator("output").inner_text()  # 131,072 words, 32 layers, 8 heads: the page's number


@language
def test_a_guess_stays(visit, language):
    """It is clicked or typed, is there after a reload, and nothing is sent."""
    path = next(page for page in pages.ALL if page.startswith(language) and GUESS.search(pages.read(page)))
    tab = visit(pages.address(path))
    option = tab.locator(".question > ul button").nth(1)
    sent = []
    tab.on("request", lambda request: request.url.endswith(".svg") or sent.append(request.url))  # the tab's own icon
    option.focus()
    tab.keyboard.press("Enter")
    assert option.get_attribute("aria-pressed") == "true" and not sent
    tab.reload()
    assert tab.locator(".question > ul button[aria-pressed=true]").count() == 1
    assert tab.locator(".question > ul button").nth(1).get_attribute("aria-pressed") == "true"


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


TOUCHED = ["by-hand/", "why-scale/", "notebooks/apple/", "query-key-value/", "deeper/kv-cache/", "notebooks/bug-zoo/"]


@pytest.mark.parametrize("path", TOUCHED)
@language
def test_without_script_the_picture_is_there(visit, language, path):
    tab = visit(f"{language}/{path}", java_script_enabled=False)
    elements = "worked-example, scale-slider, sense-explorer, aim-query, bug-detective, write-on"
    picture = tab.locator(f":is({elements}) svg")
    assert picture.count() == 1 and picture.is_visible()
