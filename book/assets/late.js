// Makes an element with a class; other scripts use it, too, and what follows.
const make = (tag, name, ...content) => {
  const made = document.createElement(tag);
  made.className = name;
  made.append(...content);
  return made;
};
// What a reader did is kept in this browser alone; one that keeps nothing has it while a page is open.
const KEPT_AS = "calibration-lessons";
let memory;
const kept = () => {
  try {
    memory = JSON.parse(localStorage.getItem(KEPT_AS));
  } catch {}
  return { read: {}, answers: {}, ...memory };
};
const keep = (change) => {
  memory = change(kept());
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(memory));
  } catch {}
};
// The theme's scripts and its whole style sheet wait for the reader's first move; a button of the theme pressed before they are there is pressed again for them.
{
  let ready = false;
  let loading;
  const fetched = (script) =>
    new Promise((done) => {
      const real = document.createElement("script");
      real.async = false; // in the order of the page
      real.onload = real.onerror = done;
      real.src = script.src;
      script.replaceWith(real);
    });
  const dress = (link) =>
    new Promise((done) => {
      link.onload = link.onerror = done;
      link.rel = "stylesheet";
    });
  const load = () => {
    if (loading) return loading;
    const scripts = [...document.querySelectorAll('script[type="text/late"]')].map(fetched);
    const sheets = [...document.querySelectorAll('link[rel="late"]')].map(dress);
    loading = Promise.all([...scripts, ...sheets]).then(() => {
      ready = true;
      for (const button of document.querySelectorAll(".copybtn")) {
        const code = document.querySelector(button.dataset.clipboardTarget).textContent;
        button.ariaLabel = `Copy: ${code.trim().split("\n")[0]}`;
      }
    });
    return loading;
  };
  const early = (event) => {
    const button = event.target.closest("button");
    if (ready || !button || button.closest("article")) return; // the article's own buttons work at once
    event.preventDefault();
    event.stopImmediatePropagation();
    load().then(() => button.click());
  };
  for (const move of ["pointermove", "pointerdown", "keydown", "focusin", "scroll"])
    addEventListener(move, load, { once: true, passive: true });
  addEventListener("click", early, true);
  addEventListener("keydown", (event) => {
    if (ready || event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    load().then(() => document.querySelector(".search-button__button").click());
  });
  if (/[?&](q|highlight)=/.test(location.search)) load(); // the reader comes with a search
}
// On arrival the contents show where the reader is; they stay where they were while that is in sight.
{
  const contents = document.querySelector(".bd-sidebar-primary");
  const here = contents?.querySelector("[aria-current]");
  if (here) {
    const KEPT = "sidebar-scroll-top"; // the theme comes back to it at the first move
    contents.scrollTop = sessionStorage.getItem(KEPT);
    const { top, bottom } = here.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) contents.scrollTop += top - innerHeight / 3;
    sessionStorage.setItem(KEPT, contents.scrollTop);
  }
}
// Beside the paragraph that is pointed at stands a ¶, its address. There is one, a single stop of the Tab key; up and down move it.
{
  const parts = [...document.querySelectorAll("article section p[id]")];
  const link = make("a", "headerlink", "¶");
  const stand = (part) => {
    link.href = `#${part.id}`;
    part.append(link);
  };
  link.ariaLabel = "Link to this paragraph";
  link.ariaDescription = "The arrow keys, up and down, move to other paragraphs";
  if (parts.length) stand(parts[0]);
  addEventListener("pointerover", ({ target }) => {
    const part = target.closest?.("article section p[id]");
    if (part && part !== link.parentElement && !link.matches(":focus-visible")) stand(part);
  });
  link.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const open = parts.filter((part) => part.checkVisibility());
    const next = open[open.indexOf(link.parentElement) + step];
    if (step) event.preventDefault();
    if (!next) return;
    stand(next);
    link.focus();
  });
}
// On paper the page is light, and what is folded stands at its end; its place says so. The exam keeps its answers.
{
  const root = document.documentElement.dataset;
  const exam = /\/exam\.html$/.test(location.pathname);
  let [moved, end, theme] = [[]];
  const gather = (article) => {
    const folds = [...article.querySelectorAll("details")].filter((fold) => !fold.parentElement.closest("details"));
    end = make("section", "folds", make("h2", "", "Folded on this page"));
    moved = folds.map((fold, i) => {
      const summary = fold.querySelector("summary");
      const words = summary.querySelector("p") ?? summary;
      const title = words.textContent.trim();
      const number = make("span", "", `${i + 1}. `);
      const link = make("a", "", `${title} (${i + 1}, at the end)`);
      const place = make("p", "fold", link);
      const inner = [...fold.querySelectorAll("details")];
      const closed = [fold, ...inner].filter((one) => !one.open);
      link.href = `#fold-${i + 1}`;
      fold.replaceWith(place);
      words.prepend(number);
      for (const one of closed) one.open = true;
      const box = make("div", "cell", fold);
      box.id = `fold-${i + 1}`;
      end.append(box);
      return { fold, place, closed, number };
    });
    if (moved.length) article.append(end);
  };
  const restore = () => {
    for (const { fold, place, closed, number } of moved) {
      for (const one of closed) one.open = false;
      number.remove();
      place.replaceWith(fold);
    }
    end?.remove();
    moved = [];
  };
  addEventListener("beforeprint", () => {
    theme ??= root.theme;
    root.theme = "light";
    const article = document.querySelector("article.bd-article");
    if (article && !exam && !moved.length) gather(article);
  });
  addEventListener("afterprint", () => {
    root.theme = theme;
    theme = undefined;
    restore();
  });
}
// The button that changes the mode keeps the focus of whoever presses it by the keyboard.
addEventListener("click", (event) => {
  const button = event.target.closest?.(".theme-switch-button");
  if (button && event.detail === 0) requestAnimationFrame(() => button.focus());
});
