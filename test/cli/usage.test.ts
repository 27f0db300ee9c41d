import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The tools beside the command line, as somebody meets them who does not know them. */
function run(script: string, ...args: string[]) {
  const path = fileURLToPath(new URL(`../../dist/scripts/${script}.js`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each(['bench', 'evaluate', 'torture'])('%s says with --help how it is called', (script) => {
  const { status, stdout, stderr } = run(script, '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^Usage: npm run ${script} -- `));
});

it.each([
  ['bench', ['--fast'], "Unknown option '--fast'"],
  ['bench', ['speed'], 'No such suite: speed'],
  ['evaluate', ['--dataset'], "Option '--dataset"],
  ['evaluate', ['--dataset', './nowhere'], '--dataset: ./nowhere is no folder'],
  ['torture', ['--rounds', 'many'], '--rounds: expected a whole number'],
])('%s %j is refused in words, without a stack', (script, args, said) => {
  const { status, stdout, stderr } = run(script, ...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(said);
  expect(stderr).not.toMatch(/^\s+at /m);
});
