// Answers and confidences become the reader's reliability diagram. They stay in this browser.
{
  const LEVEL = 0.95;
  const form = document.querySelector(".quiz");
  const [says, count, result] = ["says", "count", "result"].map((name) => form.querySelector(`.quiz-${name}`));
  const percent = (share) => `${Number((100 * share).toFixed(1))}\u202f%`;
  const mean = (numbers) => numbers.reduce((total, one) => total + one, 0) / numbers.length;
  const questions = [...form.querySelectorAll("fieldset")].map((box) => {
    const slider = box.querySelector("[type=range]");
    return {
      box,
      slider,
      radios: [...box.querySelectorAll("[type=radio]")],
      given: () => box.querySelector(":checked")?.value,
      said: () => ("said" in slider.dataset ? Number(slider.value) : null), // where a slider stands by itself says nothing
    };
  });
  const say = (slider, value, isSaid) => {
    slider.value = value;
    slider.toggleAttribute("data-said", isSaid);
  };

  // The fewest and the most right answers of a reader who is right with these chances.
  const range = (chances) => {
    const add = (shares, p) => [...shares, 0].map((share, k) => share * (1 - p) + (k && shares[k - 1] * p));
    const shares = chances.reduce(add, [1]);
    const quantile = (level, below = 0) => shares.findIndex((share) => (below += share) >= level);
    return [quantile((1 - LEVEL) / 2), quantile((1 + LEVEL) / 2)];
  };
  const group = (answers) => {
    const [said, of] = [mean(answers.map(({ sure }) => sure)), answers.length];
    const band = range(Array(of).fill(said)).map((hits) => hits / of); // as ReliabilityCurve.band
    return { said, of, band, right: mean(answers.map(({ hit }) => hit)) };
  };
  const tell = (answers) => {
    const all = group(answers);
    const [low, high] = range(answers.map(({ sure }) => sure));
    const hits = answers.filter(({ hit }) => hit).length;
    const [brier, paid] = [({ sure, hit }) => (sure - hit) ** 2, ({ sure }) => sure * (1 - sure)].map((cost) => mean(answers.map(cost)));
    const verdict =
      low <= hits && hits <= high ? "so chance can explain yours" : `so chance hardly explains yours: on these questions you were ${hits < low ? "over" : "under"}-confident`;
    return (
      `You were ${percent(all.said)} sure on average, and right in ${percent(all.right)}: ${hits} of ${all.of}. ` +
      `A calibrated reader who is as sure as you has ${low} to ${high} right in at least 95 of 100 rounds, ${verdict}. ` +
      `Your Brier score is ${brier.toFixed(3)}. Who always says 50\u202f% gets 0.250; a calibrated reader who is as sure as you gets ${paid.toFixed(3)} on average.`
    );
  };
  const draw = (answers) => {
    const bins = [5, 6, 7, 8, 9, 10].map((bin) => answers.filter(({ sure }) => Math.ceil(10 * sure) === bin)); // closed on the right
    const groups = bins.filter((bin) => bin.length).map(group);
    const [x, y] = [(share) => 200 * (share - 0.5), (share) => 100 * (1 - share)];
    const ticks = [50, 60, 70, 80, 90, 100].map((at) => `<text x="${x(at / 100)}" y="107">${at}</text>`);
    const marks = [0, 25, 50, 75, 100].map((at) => `<text class="side" x="-2" y="${y(at / 100) + 1.5}">${at}</text>`);
    const bars = groups.map(({ said, band: [low, high] }) => `<path class="band" d="M${x(said)} ${y(low) + 0.5}V${y(high) - 0.5}"/>`);
    const points = groups.map(({ said, right, of }) => `<circle cx="${x(said)}" cy="${y(right)}" r="${1 + Math.sqrt(of)}"/>`);
    result.querySelector("svg").innerHTML =
      `<path class="frame" d="M0 0H100V100H0Z"/><path class="line" d="M0 50L100 0"/>${bars.join("")}${points.join("")}` +
      `${ticks.join("")}${marks.join("")}<text x="50" y="115">how sure, %</text><text class="up" y="-3">right, %</text>`;
    const rows = groups.map(({ said, of, right, band }) => {
      const cells = [percent(said), `${percent(right)} of ${of}`, band.map(percent).join(" to ")];
      return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
    });
    result.querySelector("tbody").innerHTML = rows.join("");
  };

  const left = () => questions.filter(({ given, said }) => !given() || said() === null);
  const show = (shown) => {
    for (const { box, radios, slider, given, said } of questions) {
      const sure = said() === null ? "not said" : percent(said() / 100);
      slider.setAttribute("aria-valuetext", sure);
      for (const input of [...radios, slider]) input.disabled = shown;
      const is = shown ? (given() === box.dataset.right ? "right" : "wrong") : "";
      box.dataset.is = is;
      box.querySelector("output").textContent = is ? `${sure}: ${is}` : sure;
    }
    const answers = questions.map(({ box, said, given }) => ({ sure: said() / 100, hit: Number(given() === box.dataset.right) }));
    result.hidden = !shown;
    count.hidden = shown;
    count.textContent = `${questions.length - left().length} of ${questions.length} answered`;
    says.textContent = shown ? tell(answers) : "";
    if (shown) draw(answers);
  };
  const remember = (shown) => {
    const answers = questions.map(({ said, given }) => [given(), said()]);
    keep((now) => ({ ...now, quiz: { answers, shown } })); // the first round counts, until the reader answers again
    show(shown);
  };
  form.addEventListener("input", () => remember(false));
  for (const { slider } of questions) {
    const tell = ({ key = "Arrow" }) => {
      if (!/^(Arrow|Page|Home|End)/.test(key)) return;
      say(slider, slider.value, true);
      remember(false);
    };
    for (const kind of ["input", "pointerup", "keydown"]) slider.addEventListener(kind, tell); // 50\u202f% needs no move
    let before; // a swipe that scrolls the page says nothing
    slider.addEventListener("pointerdown", () => { before = [slider.value, "said" in slider.dataset]; });
    slider.addEventListener("pointercancel", () => say(slider, ...before) || remember(false));
  }
  form.addEventListener("reset", () => setTimeout(() => {
    for (const { slider } of questions) say(slider, slider.value, false);
    remember(false);
  }));
  form.querySelector("button").addEventListener("click", () => {
    const [first] = left();
    if (!first) {
      remember(true);
      return result.scrollIntoView({ block: "nearest" }); // the diagram is what the answers were for
    }
    says.textContent = `Answer each question and say how sure you are first: ${left().length} of ${questions.length} are left.`;
    (first.given() ? first.slider : first.radios[0]).focus();
  });
  addEventListener("DOMContentLoaded", () => {
    const { answers = [], shown = false } = kept().quiz ?? {};
    answers.forEach(([letter, sure], i) => {
      for (const radio of questions[i].radios) radio.checked = radio.value === letter;
      say(questions[i].slider, sure ?? 50, sure !== null);
    });
    show(shown);
  }); // late.js, which comes behind this file, keeps them
}
