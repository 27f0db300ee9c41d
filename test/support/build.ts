import { execFileSync } from 'node:child_process';

/** Compiles `src/` and `scripts/`: processes and workers that the tests start run the compiled files. `npm run check` looks at types. */
export default function build(): void {
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json', '--noCheck'], { stdio: 'inherit' });
}
