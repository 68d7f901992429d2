/** Markdown of an author or of a task: its tokens become elements of the page, so no text of it is ever read as HTML. Loaded only where there is some. */

import { lexer, type Token, type Tokens } from "marked";
import type { ReactNode } from "react";
import styles from "./markdown.module.css";

const SAFE = /^(https?:|mailto:)/i;

export function Markdown({ text }: { text: string }) {
  return <div className={styles.text}>{showAll(lexer(text))}</div>;
}

function showAll(tokens: readonly Token[] | undefined): ReactNode[] {
  return (tokens ?? []).map((token, at) => <Shown key={at} token={token} />);
}

function Shown({ token }: { token: Token }): ReactNode {
  const inner = "tokens" in token ? showAll(token.tokens) : null;
  switch (token.type) {
    case "heading": {
      const Heading = `h${Math.min(6, (token as Tokens.Heading).depth + 2)}` as "h3";
      return <Heading>{inner}</Heading>;
    }
    case "paragraph":
      return <p>{inner}</p>;
    case "blockquote":
      return <blockquote>{inner}</blockquote>;
    case "strong":
      return <strong>{inner}</strong>;
    case "em":
      return <em>{inner}</em>;
    case "del":
      return <del>{inner}</del>;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "link":
      return showLink((token as Tokens.Link).href, inner);
    case "image":
      return showLink((token as Tokens.Image).href, (token as Tokens.Image).text);
    case "list":
      return showList(token as Tokens.List);
    case "table":
      return showTable(token as Tokens.Table);
    case "text":
    case "escape":
      return inner ?? (token as Tokens.Text).text;
    default:
      return token.raw; // HTML stays the text that it is
  }
}

/** A picture is a link too: the page asks no other host for anything. */
function showLink(href: string, inner: ReactNode): ReactNode {
  return SAFE.test(href) ? (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank">
      {inner}
    </a>
  ) : (
    <span>{inner}</span>
  );
}

function showList(list: Tokens.List): ReactNode {
  const items = list.items.map((item, at) => (
    <li key={at}>
      {item.task && (item.checked ? "☑ " : "☐ ")}
      {showAll(item.tokens.filter((one) => one.type !== "checkbox"))}
    </li>
  ));
  return list.ordered ? <ol start={list.start === "" ? undefined : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function showTable(table: Tokens.Table): ReactNode {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, at) => (
              <th key={at}>{showAll(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{showAll(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
