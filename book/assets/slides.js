// Slides: the keys of a keyboard or of a clicker, full screen, light and dark, and text as large as it fits.
{
  const slides = [...document.querySelectorAll(".slide")];
  const root = document.documentElement;
  const SMALLEST = 0.6, LARGEST = 1.3; // of text; a figure takes the room that is left

  const overflows = (body) => body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1;
  const narrow = (formula) => { // one that is too wide does not make the text small
    formula.style.fontSize = "";
    const share = formula.clientWidth / formula.scrollWidth;
    if (share < 1) formula.style.fontSize = `${Math.max(share - 0.03, SMALLEST)}em`;
  };
  const fit = (slide) => {
    const body = slide.querySelector(".slide-body");
    const largest = body.querySelector("img, .explorer") ? 1 : LARGEST;
    for (let size = largest; size >= SMALLEST; size -= 0.025) {
      slide.style.setProperty("--fit", size);
      body.querySelectorAll("div.math").forEach(narrow);
      if (!overflows(body)) break;
    }
  };
  const isAnswer = (slide) => slide?.querySelector(".slide-answer");
  const fitAll = () => {
    slides.forEach(fit);
    slides.filter((slide, i) => isAnswer(slides[i + 1]) && !isAnswer(slide)).forEach((question) => {
      const answer = question.nextElementSibling; // in which nothing moves
      question.style.setProperty("--fit", answer.style.getPropertyValue("--fit"));
    });
  };
  const fitted = document.fonts.ready.then(fitAll);
  addEventListener("resize", fitAll);

  const middle = () => innerHeight / 2;
  const current = () => slides.findIndex((slide) => slide.getBoundingClientRect().bottom > middle());
  let shown = 0;
  const go = (number) => {
    shown = number;
    slides[number]?.scrollIntoView({ behavior: "instant" });
  };
  const show = (number) => {
    go(Math.min(Math.max(number, 0), slides.length - 1));
    windows.postMessage(shown);
    history.replaceState(history.state, "", `#${slides[shown].id}`);
  };

  const acts = {
    on: () => show(current() + 1),
    back: () => show(current() - 1),
    first: () => show(0),
    last: () => show(slides.length - 1),
    notes: () => {
      const here = current();
      root.classList.toggle("with-notes");
      fitAll();
      go(here);
    },
    full: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()),
    dark: () => {
      const theme = root.dataset["theme"] === "dark" ? "light" : "dark";
      for (const name of ["mode", "theme"]) localStorage.setItem(name, (root.dataset[name] = theme));
    },
  };
  const KEYS = {
    ArrowRight: "on", ArrowDown: "on", PageDown: "on", " ": "on", Enter: "on",
    ArrowLeft: "back", ArrowUp: "back", PageUp: "back", Backspace: "back",
    Home: "first", End: "last", f: "full", d: "dark", n: "notes",
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.shiftKey && event.key === " " ? "back" : KEYS[event.key];
    const pressed = /^( |Enter)$/.test(event.key) ? "a, button, input, select" : "input, select";
    if (!name || event.target.closest?.(pressed)) return;
    event.preventDefault();
    acts[name]();
  });
  document.querySelector(".slide-tools").addEventListener("click", (event) => {
    acts[event.target.closest("button")?.dataset.do]?.();
  });

  // A second window goes along, say one with notes.
  const windows = new BroadcastChannel(location.pathname);
  windows.onmessage = ({ data }) => data === shown || go(data);

  // A window of another size shows the same slide; paper is light.
  let theme;
  addEventListener("scroll", () => {
    const before = shown;
    shown = current();
    if (shown !== before) windows.postMessage(shown);
  }, { passive: true });
  addEventListener("resize", () => go(shown));
  addEventListener("beforeprint", () => {
    theme = root.dataset["theme"];
    root.dataset["theme"] = "light";
  });
  addEventListener("afterprint", () => (root.dataset["theme"] = theme));
  window.slidesFitted = fitted;
}
