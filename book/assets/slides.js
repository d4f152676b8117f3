// Slides: reveal.js, with text as large as it fits, and the site's light and dark.
{
  const SMALLEST = 0.55;
  const overflows = (body) => body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1;
  const fit = (slide) => {
    const body = slide.querySelector(".slide-body");
    for (let size = 1; size >= SMALLEST; size -= 0.05) {
      body.style.fontSize = `${size}em`;
      if (!overflows(body)) break;
    }
  };
  const fitted = new WeakSet();
  const fitOnce = (slide) => fitted.has(slide) || fitted.add(slide) && fit(slide);
  const mode = (theme) => {
    for (const name of ["mode", "theme"]) document.documentElement.dataset[name] = theme;
  };
  const onPaper = /print-pdf/.test(location.search);

  const start = async () => {
    if (onPaper) mode("light");
    await document.fonts.ready;
    const tall = innerHeight > innerWidth ? 1280 : innerHeight < 600 && 600; // a phone: larger letters, its whole window
    const [width, height] = tall && !onPaper ? [Math.round((tall * innerWidth) / innerHeight), tall] : [1280, 720];
    document.documentElement.style.setProperty("--slide", `${height}px`);
    const paged = new Promise((done) => Reveal.on("pdf-ready", done));
    await Reveal.initialize({
      width, height, margin: 0.03, center: false, display: "flex", transition: "none", scrollActivationWidth: 0,
      hash: true, slideNumber: "c/t", controlsTutorial: false, pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1,
      keyboardCondition: () => !document.activeElement?.closest("select, .explorer button"), // their keys are their own
      plugins: [RevealNotes],
    });
    if (onPaper) {
      await paged; // reveal.js lays out the sheets after the page has loaded, at times later than it is ready
      document.querySelectorAll(".slides section").forEach(fit);
    } else fitOnce(Reveal.getCurrentSlide());
    Reveal.on("slidechanged", ({ currentSlide }) => fitOnce(currentSlide));
    Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Light or dark" }, () => {
      const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      mode(theme);
      for (const name of ["mode", "theme"]) localStorage.setItem(name, theme);
    });
    Reveal.addKeyBinding({ keyCode: 80, key: "P", description: "Pages to print" }, () => (location.search = "print-pdf"));
  };
  window.slidesReady = start();
}
