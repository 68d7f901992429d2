/** Markdown of authors and tasks becomes elements; nothing of it is read as HTML, and only links to pages and mail addresses lead anywhere. */

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./Markdown";

const show = (text: string) =>
  renderToStaticMarkup(createElement(Markdown, { text })).replace(/^<div class="[^"]*">|<\/div>$/g, "");

test.each([
  ["# Orders", "<h3>Orders</h3>"],
  ["###### deep", "<h6>deep</h6>"],
  ["**bold** _soft_ ~~gone~~ `code`", "<p><strong>bold</strong> <em>soft</em> <del>gone</del> <code>code</code></p>"],
  ["> never twice", "<blockquote><p>never twice</p></blockquote>"],
  ["one\n\n---\n\ntwo", "<p>one</p><hr/><p>two</p>"],
  ["line  \nnext", "<p>line<br/>next</p>"],
  ["```sql\nselect '<b>'\n```", '<pre tabindex="0"><code>select &#x27;&lt;b&gt;&#x27;</code></pre>'],
])("%s", (text, html) => {
  expect(show(text)).toBe(html);
});

test("a list keeps its number, its parts and its boxes", () => {
  expect(show("3. three\n4. four\n   - inner")).toBe(
    '<ol start="3"><li>three</li><li>four<ul><li>inner</li></ul></li></ol>',
  );
  expect(show("- [x] done\n- [ ] open")).toBe("<ul><li>☑ done</li><li>☐ open</li></ul>");
});

test("a table has its heads and its rows", () => {
  expect(show("| a | b |\n|---|---|\n| 1 | **2** |")).toBe(
    '<div class="scroll"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table></div>',
  );
});

test.each([
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "text <b onclick=alert(1)>bold</b>",
  "<div>\n\n*inner*\n\n</div>",
  "<!-- note -->",
])("HTML stays text: %s", (text) => {
  expect(show(text)).not.toMatch(/<(img|script|b|div|!--)\b/);
  expect(show(text)).toContain("&lt;");
});

test("only links to pages and mail addresses lead anywhere, and none says where it comes from", () => {
  expect(show("[good](https://example.org/a)")).toBe(
    '<p><a href="https://example.org/a" rel="noopener noreferrer nofollow" target="_blank">good</a></p>',
  );
  expect(show("[mail](mailto:a@example.org)")).toContain('href="mailto:a@example.org"');
  for (const bad of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "//other.example/x",
    "/dags",
  ])
    expect(show(`[bad](${bad})`)).toBe("<p><span>bad</span></p>");
});

test("a picture is a link, so that no other host is asked", () => {
  expect(show("![chart](https://example.org/chart.png)")).toBe(
    '<p><a href="https://example.org/chart.png" rel="noopener noreferrer nofollow" target="_blank">chart</a></p>',
  );
});
