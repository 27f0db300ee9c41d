import { COMMANDS } from './table.js';

/** The table of commands as Markdown: what the documentation shows. */
export function commandList(): string {
  const rows = Object.entries(COMMANDS).map(([name, { help, inTransaction, fields }]) => {
    const refused = Object.keys(fields).filter((field) => fields[field] === 'refused');
    const accepted = Object.keys(fields).filter((field) => fields[field] !== 'refused');
    return `| \`${name}\` | ${help} | ${inTransaction === true ? 'yes' : ''} | ${list(accepted)} | ${list(refused)} |`;
  });
  return [
    '# Commands of Pocket Atlas',
    '',
    'Generated from `src/pocket-atlas/commands/table.ts` by `npm run pocket-atlas -- commands`. Any other command is answered',
    "`59 no such command`, any other field `40415 BSON field '…' is an unknown field`. A refused field is answered `115` unless",
    'its value asks for nothing (`false`, `0`, an empty document, the simple collation).',
    '',
    '| command | what it does | in a transaction | fields | refused fields |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' ');
}
