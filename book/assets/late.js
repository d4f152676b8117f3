// The theme's scripts wait for the reader's first move; a button pressed before they are there is pressed again for them.
{
  const root = document.documentElement.dataset; // light or dark before anything is drawn, as the theme will have it
  if (root.theme === "auto") root.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
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
  const load = () =>
    (loading ??= Promise.all([...document.querySelectorAll('script[type="text/late"]')].map(fetched)).then(() => {
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
