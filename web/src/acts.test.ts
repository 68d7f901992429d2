/** What changes something stands inside of `<Act>`: of each component that sends a change, or renders one that does, the use is inside of an `<Act>` or of a component that has one. */

import ts from "typescript";
import { expect, test } from "vitest";

const sources = import.meta.glob<string>(
  ["./**/*.{ts,tsx}", "!./**/*.test.{ts,tsx}", "!./api/schema.d.ts", "!./testing/**"],
  { query: "?raw", import: "default", eager: true },
);

/** What everybody may change: what is one's own. */
const OWN = new Set([
  // account: one's password, tokens and sessions
  "PasswordForm",
  "OwnTokens",
  "TokenForm",
  "SessionList",
  // saved views of lists, favourites
  "SavedViews",
  "SaveForm",
  "FavoriteButton",
  "Star",
]);
const REQUESTS = ["post", "patch", "put", "remove"];

interface Component {
  /** Its file and its name. */
  key: string;
  name: string;
  file: string;
  /** It calls what sends a change. */
  sends: boolean;
  /** It has an `<Act>`. */
  hasAct: boolean;
  /** The components that it renders outside of an `<Act>`. */
  renders: Set<string>;
}

const isApi = (path: string) => path.startsWith("./api/");

/** The exported functions of `api/` that send a change, directly or by a hook. */
function findSenders(): Set<string> {
  const found = new Set(["useAct"]);
  for (const [path, text] of Object.entries(sources).filter(([one]) => isApi(one) && !one.endsWith("/client.ts"))) {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    for (const statement of file.statements) {
      if (!ts.isFunctionDeclaration(statement) || !statement.name) continue;
      if (/\buse(Mutation|Act)\b|\b(post|patch|put|remove)\(/.test(statement.getText())) found.add(statement.name.text);
    }
  }
  // The preview of an act asks and changes nothing.
  found.delete("previewAct");
  found.delete("sendClear");
  return found;
}

function readComponents(path: string, text: string, senders: Set<string>): Component[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const fromApi = new Set(
    [...text.matchAll(/import \{([^}]*)\} from "[./]+api\/\w+"/g)].flatMap((found) => found[1]!.match(/\w+/g) ?? []),
  );
  const isSender = (name: string) => fromApi.has(name) && (senders.has(name) || REQUESTS.includes(name));
  return file.statements.flatMap((statement) => {
    if (!ts.isFunctionDeclaration(statement) || !/^[A-Z]/.test(statement.name?.text ?? "")) return [];
    const name = statement.name!.text;
    const one: Component = {
      key: `${path} ${name}`,
      name,
      file: path,
      sends: false,
      hasAct: false,
      renders: new Set(),
    };
    const look = (node: ts.Node, isInside: boolean): void => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && isSender(node.expression.text))
        one.sends = true;
      const tag = ts.isJsxElement(node)
        ? node.openingElement.tagName.getText()
        : ts.isJsxSelfClosingElement(node)
          ? node.tagName.getText()
          : "";
      if (tag === "Act") one.hasAct = true;
      else if (/^[A-Z]/.test(tag) && !isInside) one.renders.add(tag);
      ts.forEachChild(node, (child) => look(child, isInside || tag === "Act"));
    };
    look(statement, false);
    return [one];
  });
}

test("each change is offered only inside of <Act>", () => {
  const senders = findSenders();
  expect([...senders]).toContain("useMaterialize");
  const components = Object.entries(sources)
    .filter(([path]) => path.endsWith(".tsx"))
    .flatMap(([path, text]) => readComponents(path, text, senders));
  /** A component of the file itself, or else the one of another file with this name. */
  const find = (file: string, name: string) =>
    components.find((one) => one.file === file && one.name === name) ?? components.find((one) => one.name === name);
  const rendered = new Map(
    components.map((one) => [one, [...one.renders].flatMap((name) => find(one.file, name) ?? [])]),
  );
  // A component that has an `<Act>` guards what it sends; one that has none needs it where it is rendered.
  const open = new Set(components.filter((one) => one.sends && !one.hasAct && !OWN.has(one.name)));
  for (let size = -1; size !== open.size;) {
    size = open.size;
    for (const [one, children] of rendered)
      if (!one.hasAct && !OWN.has(one.name) && children.some((child) => open.has(child))) open.add(one);
  }
  const pages = [...open].filter((one) => one.name.endsWith("Page") || one.name === "Layout");
  expect(pages.map((one) => one.key)).toEqual([]);
  const leaks = [...rendered].flatMap(([one, children]) =>
    one.hasAct ? children.filter((child) => open.has(child)).map((child) => `${one.key}: <${child.name}>`) : [],
  );
  expect(leaks).toEqual([]);
}, 60_000);
