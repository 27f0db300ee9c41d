import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commandList } from '../../../src/pocket-atlas/commands/command-list.js';
import { COMMANDS } from '../../../src/pocket-atlas/commands/table.js';

it('the table is in alphabetical order, as its readers expect', () => {
  const names = Object.keys(COMMANDS);
  expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
});

it('the documented list is the one that the table gives', () => {
  const documented = readFileSync(
    fileURLToPath(new URL('../../../docs/pocket-atlas-commands.md', import.meta.url)),
    'utf8',
  );
  expect(documented, 'run: npm run pocket-atlas -- commands > docs/pocket-atlas-commands.md').toBe(commandList());
});
