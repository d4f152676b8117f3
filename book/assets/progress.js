// Quick questions are pressed; what a reader read and answered is kept, and marked in the contents.
{
  const UNHURRIED = 20_000; // milliseconds before a page whose end is in sight counts as read
  const root = new URL(document.documentElement.dataset.content_root, location.href).pathname;
  const address = (link) => new URL(link.href).pathname.slice(root.length);
  const here = location.pathname.slice(root.length);
  const isLesson = (page) => /^book\/(?!teaching|reference|intro)/.test(page);
  const button = (name, press, ...content) => {
    const made = make("button", name, ...content);
    made.type = "button";
    made.addEventListener("click", press);
    return made;
  };
  const note = (change) => {
    keep(change);
    show();
  };
  const score = (answers) => {
    const given = Object.values(answers ?? {});
    return [given.length, given.filter(([chosen, right]) => chosen === right).length];
  };

  const section = document.getElementById("quick-questions");
  const questions = [...(section?.querySelectorAll("details") ?? [])].map((reason, i) => {
    const list = reason.previousElementSibling;
    const right = reason.querySelector("strong").textContent[0];
    const verdict = make("div", "verdict");
    verdict.setAttribute("role", "status");
    const choices = [...list.querySelectorAll("p")].map((text) => {
      const letter = text.textContent.trim()[0];
      const press = () =>
        note((now) => {
          (now.answers[here] ??= {})[i + 1] ??= [letter, right]; // the first press counts
          return now;
        });
      const choice = button("choice", press, ...text.childNodes);
      for (const link of choice.querySelectorAll("a")) link.replaceWith(...link.childNodes);
      text.append(choice);
      choice.value = letter;
      return choice;
    });
    reason.before(verdict);
    list.classList.add("choices");
    return (answers) => {
      const chosen = answers?.[i + 1]?.[0];
      for (const choice of choices) {
        choice.setAttribute("aria-pressed", choice.value === chosen);
        choice.setAttribute("aria-disabled", Boolean(chosen));
        choice.dataset.is = !chosen ? "" : choice.value === right ? "right" : choice.value === chosen ? "wrong" : "";
      }
      if (!verdict.textContent !== !chosen) reason.open = Boolean(chosen);
      verdict.textContent = chosen && (chosen === right ? "Right." : `Not ${chosen}: ${right} is right.`);
    };
  });
  const total = make("p", "score");
  section?.append(total);

  const box = document.querySelector(".kept-here");
  const save = () => {
    const file = new Blob([JSON.stringify(kept(), null, 2)], { type: "application/json" });
    Object.assign(make("a", ""), { href: URL.createObjectURL(file), download: `${KEPT_AS}.json` }).click();
  };
  const again = ({ answers, ...others }) => ({ ...others, answers: { ...answers, [here]: undefined } });
  const show = () => {
    const { read, answers } = kept();
    for (const question of questions) question(answers[here]);
    const [given, right] = score(answers[here]);
    total.replaceChildren(`${right} of ${questions.length} right at the first press. `);
    if (given) total.append(button("again", () => note(again), "Answer again"));
    total.hidden = !given;
    const links = [...document.querySelectorAll(".bd-sidebar-primary .toctree-l1 > a")].filter((link) => isLesson(address(link)));
    for (const link of links) {
      const [given, right] = score(answers[address(link)]);
      const seen = read[address(link)];
      const done = make("span", "done", seen ? "✓" : "", given ? ` ${right}/${given}` : "");
      done.setAttribute("role", "img");
      done.setAttribute("aria-label", [seen && "read", given && `${right} of ${given} answers right`].filter(Boolean).join(", "));
      link.querySelector(".done")?.remove();
      if (seen || given) link.append(done);
    }
    if (!box) return;
    const scores = Object.values(answers).map(score);
    const [all, good] = [0, 1].map((which) => scores.reduce((sum, one) => sum + one[which], 0));
    const pages = `${links.filter((link) => read[address(link)]).length} of ${links.length} pages`;
    box.replaceChildren(
      make("p", "", `Read: ${pages}. Quick questions: ${all} answered, ${good} right at the first press.`),
      button("again", save, "Export"),
      button("again", () => confirm("Erase what was read and answered?") && note(() => ({})), "Erase"),
    );
  };
  show();
  addEventListener("storage", show);

  const end = document.querySelector(".prev-next-area");
  if (isLesson(here) && end) {
    const read = () => note((now) => ({ ...now, read: { ...now.read, [here]: new Date().toISOString().slice(0, 10) } }));
    const watch = ([{ isIntersecting }], observer) => {
      if (!isIntersecting) return;
      observer.disconnect();
      setTimeout(read, UNHURRIED - performance.now());
    };
    new IntersectionObserver(watch).observe(end);
    const next = end.querySelector(".right-next");
    const place = () => {
      const parts = [...document.querySelectorAll("article > section > section[id]")];
      const part = parts.findLast((one) => one.getBoundingClientRect().top < innerHeight / 2);
      return { page: `${here}#${part?.id ?? ""}`, title: document.querySelector("h1").firstChild.textContent };
    };
    const following = () => ({ page: address(next), title: next.querySelector(".prev-next-title").textContent });
    addEventListener("pagehide", () => note((now) => ({ ...now, last: now.read[here] && next ? following() : place() })));
  }
}
// A term shows its definition, and a citation its reference, to who points at it or comes to it by the keyboard.
{
  const card = Object.assign(make("div", "hover-card"), { id: "hover-card", role: "tooltip", popover: "manual" });
  let [link, waits, glossary] = [null];
  const defined = async ({ href, hash }) => {
    const text = await (glossary ??= fetch(href).then((answer) => answer.text()));
    const found = new DOMParser().parseFromString(text, "text/html").querySelector(`${hash} ~ dd`);
    for (const inner of found.querySelectorAll("a")) inner.replaceWith(...inner.childNodes);
    return found.firstElementChild.childNodes;
  };
  const show = async (met) => {
    card.hidePopover();
    if (!(link = met ?? null)) return;
    [link.dataset.told, link.title] = [link.dataset.told ?? link.title, ""]; // or the browser shows it, too
    card.replaceChildren(...(link.dataset.told ? [link.dataset.told] : await defined(link)));
    if (link !== met) return; // the reader went on
    link.setAttribute("aria-describedby", card.id);
    card.showPopover();
    const { left, top, bottom } = link.getClientRects()[0];
    card.style.left = `${Math.min(left, innerWidth - card.offsetWidth - 20)}px`;
    card.style.top = `${bottom + card.offsetHeight < innerHeight ? bottom : top - card.offsetHeight}px`;
  };
  const meet = ({ target, type, pointerType }) => {
    clearTimeout(waits);
    const met = target.closest("article a.reference:is([href*='#term-'], [href*='bibliography.html#'])");
    if (type === "focusin") show(met);
    const stays = met === link || card.contains(target) || (!met && link === document.activeElement); // it scrolled
    if (!stays && pointerType !== "touch") waits = setTimeout(show, 250, met);
  };
  document.body.append(card);
  for (const move of ["pointerover", "focusin"]) addEventListener(move, meet);
  addEventListener("keydown", ({ key }) => key === "Escape" && show());
}
