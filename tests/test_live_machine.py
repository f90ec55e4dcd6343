"""The language model in the browser says what it says in torch, of any sentence; and asks for its numbers when used."""

import random

import pages
import pytest
import torch
from test_widgets import widget

from attn.labs.next_word import GRAMMARS, LONGEST, accuracy, chances, corpus, exam, vocabulary, weights, write

from figures import live, writer

language = pytest.mark.parametrize("language", pages.LANGUAGES)


def opened(visit, language, **options):
    figure = widget(lambda path: visit(path, **options), f"{language}/notebooks/next-word/", "live-machine")
    figure.locator("select").first.focus()
    figure.evaluate("machine => machine.load()")
    return figure


def sentences(language):
    """Sentences as they are said, any words in any order, one word, one word again and again, and the longest."""
    choose, words = random.Random(0), vocabulary(language)[1:]
    any_order = [choose.choices(words, k=choose.randint(1, LONGEST - 1)) for _ in range(15)]
    return [*corpus(language)[:15], *any_order, words[:1], words[:1] * (LONGEST - 1), words[-(LONGEST - 1) :]]


@language
def test_every_number_is_that_of_torch(visit, language):
    figure, model, choose = opened(visit, language), live.halved(language), random.Random(1)
    for words in sentences(language):
        hide = sorted(choose.sample(range(len(words)), choose.randint(0, len(words) // 2)))
        got = figure.evaluate(
            "(machine, [words, hidden]) => machine.model.read(words, new Set(hidden))",
            [[model.words[0], *words], [at + 1 for at in hide]],
        )
        want = dict(chances(model, words, hide))
        assert got["chances"][-1] == pytest.approx([want[word] for word in model.words], rel=0, abs=1e-9)
        looked = torch.tensor(got["weights"], dtype=torch.float64)
        torch.testing.assert_close(looked, weights(model, words, hide), rtol=0, atol=1e-9)


@language
def test_half_precision_says_the_same(language):
    """Its numbers are rounded to eleven bits: chances move by less than the digits that are shown, answers don't."""
    trained, halved = writer.taught(language)[0], live.halved(language)
    for gaps in exam(language).values():
        assert accuracy(halved, gaps) == accuracy(trained, gaps) == 1
        for gap in gaps[::12]:
            before, after = dict(chances(trained, gap.words)), dict(chances(halved, gap.words))
            assert max(abs(before[word] - after[word]) for word in before) < 0.005


def texts(figure):
    shown = figure.locator(".next button").evaluate_all(
        "rows => rows.map(row => [row.children[0].textContent, row.children[2].textContent])"
    )
    looked = figure.locator(".sentence small").evaluate_all("cells => cells.map(cell => cell.textContent.trim())")
    return shown, looked


@language
def test_what_a_reader_does_is_followed(visit, language):
    """Type, cover, exchange, move, ask another word, write on: what stands there is what torch says of it, rounded."""
    figure, model, g = opened(visit, language), live.halved(language), GRAMMARS[language]
    join = "" if language == "zh" else " "

    def check(words, hide=(), head=0):
        want, (shown, looked) = chances(model, words, hide)[:6], texts(figure)
        assert [word for word, _ in shown] == [word for word, _ in want]
        assert [text for _, text in shown] == [f"{chance:.2f}" for _, chance in want]
        assert looked == [f"{weight:.2f}" for weight in weights(model, words, hide)[head, -1].tolist()]

    def press(key):
        figure.get_by_role("button", name=told[key], exact=True).click()

    told = figure.evaluate("machine => machine.text")
    figure.locator("select").nth(1).select_option("0")
    words = list(exam(language)["differ"][0].words)
    figure.locator("form input").fill(join.join(words))
    figure.locator("form button").click()
    check(words)
    place = exam(language)["differ"][0].clue
    figure.locator(".word").nth(place + 1).click()
    assert texts(figure)[1][place + 2 :] == [""] * (len(words) - place - 1)
    press("cover")
    check(words, [place])
    figure.locator(".word").nth(len(words)).click()
    other = next(target for target in g.targets if target not in words)
    figure.locator("select").nth(2).select_option(label=other)
    check([*words[:-1], other])
    figure.locator(".word").nth(place + 1).click()
    press("right")
    words = [*words[:place], words[place + 1], words[place], *words[place + 2 : -1], other]
    figure.locator(".word").nth(len(words)).click()
    check(words)
    best = figure.locator(".next button").first
    taken = best.locator("span").first.inner_text()
    best.click()
    check([*words, taken])
    press("restart")
    begun = told["sentences"][0]
    check(begun)
    press("finish")
    check(write(model, begun))


@language
def test_bad_sentences_get_a_sentence(visit, language):
    figure = opened(visit, language)
    before = texts(figure)
    for line in ("x" * 300, "<b>7</b>", "  ", vocabulary(language)[1] + " unheard", "🍎"):
        figure.locator("form input").fill(line)
        figure.locator("form button").click()
        says = figure.get_by_role("status").inner_text()
        assert line.removeprefix(vocabulary(language)[1]).strip() in says and len(says) > len(line), says
        assert texts(figure) == before
    figure.locator("form input").fill(f"{vocabulary(language)[1]} " * LONGEST)
    figure.locator("form button").click()
    assert str(LONGEST - 1) in figure.get_by_role("status").inner_text()


@language
def test_its_numbers_are_fetched_when_it_is_used(visit, language):
    """What stands there before is what the build computed; then one file comes, and nothing that is shown changes."""
    tab = visit(f"{language}/")
    asked = []
    tab.on("request", lambda request: request.url.endswith(".f16") and asked.append(request.url))
    figure = tab.locator("live-machine")
    figure.locator(".widget").wait_for()
    before = texts(figure)
    assert not asked
    figure.locator(".word").last.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function("document.querySelector('live-machine').model")
    assert len(asked) == 1
    assert texts(figure) == before


def test_without_its_numbers_it_says_so(browser, server):
    with browser.new_context() as context:
        tab = context.new_page()
        tab.route("**/*.f16", lambda route: route.abort())
        tab.goto(server + "en/")
        figure = tab.locator("live-machine")
        told = figure.evaluate("machine => machine.text")
        figure.get_by_role("button", name=told["write"], exact=True).click()
        figure.get_by_text(told["unloaded"]).wait_for()
