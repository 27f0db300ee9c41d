import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const pathOf = (script: string) => fileURLToPath(new URL(`../../dist/scripts/${script}.js`, import.meta.url));

/** The tools beside the command line, as somebody meets them who does not know them. */
function run(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [pathOf(script), ...args], { encoding: 'utf8' });
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

it.each(['gazetteer', 'bench'])('%s ends without a word when nobody reads on, as in "… | head"', async (script) => {
  const child = spawn(process.execPath, [pathOf(script), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, said }).toEqual({ code: 141, said: '' });
});
