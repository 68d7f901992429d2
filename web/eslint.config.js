import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "src/api/schema.d.ts"] },
  ...tseslint.configs.recommended,
  hooks.configs.flat.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "react-hooks/exhaustive-deps": "error",
      "no-restricted-properties": [
        "error",
        {
          property: "toLocaleString",
          message: "Write counts by formatCount of state/numbers: in the language of the page.",
        },
      ],
      // Only the compiler of React, which the page does not use, has to know these.
      "react-hooks/incompatible-library": "off",
      "react-hooks/preserve-manual-memoization": "off",
      // What is measured or comes later from outside becomes state in an effect.
      "react-hooks/set-state-in-effect": "off",
    },
  },
  {
    files: ["**/*.tsx"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.property.name=/^(sort|reverse|splice)$/]",
          message: "Changes an array which others may hold: use toSorted, toReversed or toSpliced.",
        },
      ],
    },
  },
);
