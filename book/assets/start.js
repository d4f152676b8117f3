// The start page's figure: it moves once from temperature 1 to the fitted one, then the slider is the reader's.
{
  const figure = document.querySelector(".start-figure");
  const frames = JSON.parse(figure.dataset.frames);
  const fitted = Number(figure.dataset.fitted);
  const slider = figure.querySelector("input");
  const circles = [...figure.querySelectorAll(".start-now circle")];
  const [left, top, side] = [34, 6, 200]; // as tools/site/start_page.py draws
  const show = (i) => {
    const { T, says, points } = frames[i];
    circles.forEach((circle, bin) => {
      circle.setAttribute("visibility", points[bin] ? "visible" : "hidden");
      if (!points[bin]) return;
      circle.setAttribute("cx", left + side * points[bin][0]);
      circle.setAttribute("cy", top + side - side * points[bin][1]);
    });
    figure.querySelector(".start-says").textContent = `${says.toFixed(1)}\u202f%`;
    figure.querySelector(".start-T").textContent = T.toFixed(1);
    slider.value = i;
    slider.setAttribute("aria-valuetext", T.toFixed(1));
  };
  let moving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  slider.addEventListener("input", () => {
    moving = false;
    show(Number(slider.value));
  });
  const begin = performance.now() + 1500;
  const step = (now) => {
    if (!moving) return;
    const share = Math.min(Math.max((now - begin) / 2500, 0), 1);
    show(Math.round(fitted * share * share * (3 - 2 * share)));
    if (share < 1) requestAnimationFrame(step);
  };
  addEventListener("beforeprint", () => {
    moving = false;
    show(fitted);
  });
  if (moving) step(performance.now());
  else show(fitted);
}
