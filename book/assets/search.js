// Search while typing: Pagefind's index, of which a query fetches what it needs; words that it does not know are spelled as the list of phrases has them.
{
  const SPARED = new Set("a an the to of how what when why where who which can could should do does did i my me you your am is are it its in on for or and with after about be have has from an use using".split(" "));
  const RANKING = { metaWeights: { title: 5, phrases: 8 } };
  const MANY = 12;

  let started;
  const start = (root) => (started ??= import(new URL("pagefind/pagefind.js", root)).then(async (made) => {
    await made.options({ baseUrl: root.pathname, ranking: RANKING });
    return [made, await (await fetch(new URL("pagefind/words.json", root))).json()];
  }));
  const link = (address, text) => Object.assign(make("a", "", text), { href: address });
  const weight = ({ weighted_locations: places }) => places.reduce((sum, { balanced_score: score }) => sum + score, 0);
  const shown = ({ url, meta, excerpt, sub_results: parts }) => {
    const best = parts.toSorted((one, other) => weight(other) - weight(one));
    const text = make("p", "search-text");
    text.innerHTML = best.find((part) => part.excerpt.includes("<mark>"))?.excerpt ?? excerpt; // Pagefind escapes it, but for its marks
    const below = best.filter((part) => part.url.includes("#")).slice(0, 3);
    return make("li", "", link(url, meta.title), text, ...below.map((part) => link(part.url, part.title)));
  };
  const stem = (word) => word.replace(/ies$/, "y").replace(/(?<=\w\w\w)s$/, "");
  const split = (text) => text.toLowerCase().split(/[\s?!.,;:]+/).filter((word) => word && !SPARED.has(word));
  const distance = (one, other) => {
    let row = Array.from({ length: other.length + 1 }, (_, j) => j);
    for (let i = 0; i < one.length; i++) {
      const next = [i + 1];
      for (let j = 0; j < other.length; j++) next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (one[i] !== other[j])));
      row = next;
    }
    return row.at(-1);
  };
  const spelled = (word, meant, known) => {
    if (word.length < 4 || known.has(stem(word))) return word;
    const near = [...meant].map((other) => [distance(stem(word), other), other]).sort(([one], [other]) => one - other)[0];
    return near[0] <= (word.length < 8 ? 1 : 2) ? near[1] : word;
  };
  // Pages of a phrase that the query holds, long or rare; pages with all words; of another phrase; with any word.
  const found = async (root, query) => {
    const [pagefind, { phrases, words: common }] = await start(root);
    const answer = await pagefind.debouncedSearch(split(query).join(" ") || query, {}, 150);
    if (!answer) return;
    const listed = new Set(phrases.flatMap(split).map(stem));
    const known = new Set([...listed, ...common.map(stem)]);
    const words = split(query).map((word) => spelled(word, listed, known));
    const asks = new Set(words.map(stem));
    const very = [query.toLowerCase(), words.join(" ")];
    const held = phrases
      .map((phrase) => [split(phrase), phrase])
      .filter(([parts, phrase]) => very.includes(phrase) || (parts.length && parts.every((part) => asks.has(stem(part)))))
      .sort(([one, phrase], [other, rival]) => very.includes(rival) - very.includes(phrase) || other.length - one.length);
    const pages = async (text, most) => Promise.all((await pagefind.search(text)).results.slice(0, most).map((one) => one.data()));
    const meant = async (wanted) => {
      const lists = await Promise.all(wanted.slice(0, 3).map(async ([, phrase]) =>
        (await pages(phrase, very.includes(phrase) ? 3 * MANY : MANY)).filter(({ meta }) => meta.phrases.split(", ").includes(phrase))));
      return lists.flat();
    };
    const few = await Promise.all(held.map(async ([, phrase]) => (await pagefind.search(phrase)).results.length <= MANY));
    const long = ([parts, phrase], i) => parts.length > 1 || few[i] || very.includes(phrase);
    const hits = [...(await meant(held.filter(long))), ...(words.length ? await pages(very[1], MANY) : [])];
    if (words.length > 1) {
      hits.push(...(await meant(held.filter((one, i) => !long(one, i)))));
      if (hits.length < 3) hits.push(...(await Promise.all(words.map((word) => pages(word, 3)))).flat());
    }
    const once = hits.filter(({ url }, i) => hits.findIndex((hit) => hit.url === url) === i).slice(0, MANY);
    return { once, other: very[1] === split(query).join(" ") ? "" : very[1] };
  };
  let asked;
  const search = async (input) => {
    const query = (asked = input.value.trim());
    const root = new URL(".", input.form.action);
    const answer = query ? await found(root, query) : { once: [] };
    if (!answer || query !== asked) return; // the reader types on
    const { once: hits, other } = answer;
    let list = input.form.parentElement.querySelector(".search-hits");
    if (!list) input.form.after((list = make("div", "search-hits")));
    list.setAttribute("role", "status");
    list.dataset.query = query;
    list.replaceChildren(other ? `Searched for: ${other}` : "", make("ol", "", ...hits.map(shown)));
    const glossary = link(new URL("book/reference/glossary.html", root), "the glossary");
    if (query && !hits.length) list.replaceChildren("Nothing is found. Try fewer words, or ", glossary);
  };
  const walk = (event) => {
    const stops = [...document.querySelectorAll("[type=search][name=q], .search-hits a")].filter((one) => one.checkVisibility());
    const next = stops.includes(event.target) && stops[stops.indexOf(event.target) + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
    if (next) event.preventDefault();
    next?.focus?.();
  };

  addEventListener("keydown", walk);
  addEventListener("input", ({ target }) => target.matches("input[type=search][name=q]") && search(target));
  const field = document.querySelector("article input[type=search]");
  if (field) field.value ||= new URLSearchParams(location.search).get("q") ?? "";
  for (const input of document.querySelectorAll("input[type=search][name=q]")) {
    if (input.value) search(input); // a reader may type before this is here
  }
}
