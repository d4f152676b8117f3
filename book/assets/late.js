// The theme's scripts wait for the reader's first move; a button pressed before they are there is pressed again for them.
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
  const parsed = new Promise((done) => {
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", done);
    else done();
  });
  const load = () =>
    (loading ??= parsed // a reader may move before the page has all of its scripts
      .then(() => Promise.all([...document.querySelectorAll('script[type="text/late"]')].map(fetched)))
      .then(() => {
        ready = true;
      }));
  const early = (event) => {
    const button = !ready && event.target.closest("button");
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    load().then(() => button.click());
  };
  for (const move of ["pointermove", "pointerdown", "keydown", "focusin", "scroll"])
    addEventListener(move, load, { once: true, passive: true });
  addEventListener("click", early, true);
  if (/[?&](q|highlight)=/.test(location.search)) load(); // the reader comes with a search
}
// On paper the page is light, and what can be unfolded is, but for code and the answers of the exam.
{
  const root = document.documentElement.dataset;
  const exam = /\/exam\.html$/.test(location.pathname);
  let [opened, theme] = [[]];
  addEventListener("beforeprint", () => {
    theme ??= root.theme;
    root.theme = "light";
    opened = exam ? [] : [...document.querySelectorAll("details.admonition:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    root.theme = theme;
    theme = undefined;
    for (const fold of opened) fold.open = false;
  });
}
// The button that changes the mode keeps the focus of whoever presses it by the keyboard.
addEventListener("click", (event) => {
  const button = event.target.closest?.(".theme-switch-button");
  if (button && event.detail === 0) requestAnimationFrame(() => button.focus());
});
