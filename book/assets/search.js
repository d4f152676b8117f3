// Written into the site's search by tools/site_found.py, which puts the phrases of book/reference/search.yml here.
{
  const PHRASES = "phrases"; // page -> phrases
  stopwords.push(..."how what which when why where who can could should do does did i my me you your am have has from an use using".split(" "));
  const stemmer = new Stemmer();
  const words = (text) => new Set(
    splitQuery(text.toLowerCase()).filter((word) => !stopwords.includes(word)).map((word) => stemmer.stemWord(word)),
  );
  const known = Object.entries(PHRASES).map(([page, phrases]) => [page, phrases.map(words)]);
  const within = (some, all) => [...some].every((word) => all.has(word));
  const asked = () => words(new URLSearchParams(location.search).get("q") ?? "");
  // How well a page's phrases meet the query: all of it, a part of it, or as a part.
  const fit = (page, query) => {
    const phrases = known.find(([name]) => name === page)?.[1] ?? [];
    return Math.max(0, ...phrases.map((phrase) => {
      const [here, there] = [within(phrase, query), within(query, phrase)];
      return here && there ? 60 : here ? 15 + 5 * phrase.size : there ? 10 : 0;
    }));
  };
  Object.assign(Scorer, {
    title: 25,
    score: ([page, , anchor, description, score]) => {
      if (description !== null) return score - 12; // a name of the package
      if (!anchor) score += fit(page, asked());
      if (anchor && page.endsWith("/glossary")) return score / 4;
      const [, part] = page.split("/");
      if (/exam|instructor_notes|equations|sources/.test(page)) return score - 12;
      return part === "reference" || part === "teaching" ? score - 6 : score + 4;
    },
  });
  // What is shown of a page is its text alone.
  Search.htmlToText = (page, anchor) => {
    const article = new DOMParser().parseFromString(page, "text/html").querySelector("article.bd-article");
    if (!article) return "";
    article.querySelectorAll(".headerlink, script, style, pre, h1, div.math, .toctree-wrapper").forEach((node) => node.remove());
    return (anchor && article.querySelector(anchor) || article).textContent.replace(/\s+/g, " ").trim();
  };
  // Whole words around the one that is looked for.
  Search.makeSearchSummary = (page, looked, anchor) => {
    const text = Search.htmlToText(page, anchor);
    if (!text) return null;
    const places = [...looked].map((word) => text.toLowerCase().indexOf(word.toLowerCase())).filter((place) => place > 0);
    const from = places.length ? text.lastIndexOf(" ", Math.max(places.at(-1) - 120, 0)) + 1 : 0;
    const to = text.length > from + 240 ? text.lastIndexOf(" ", from + 240) : text.length;
    const summary = document.createElement("p");
    summary.className = "context";
    summary.textContent = (from ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
    return summary;
  };
}
