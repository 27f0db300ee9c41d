#!/usr/bin/env node
import { loadClientConfig } from '../src/config.js';
import { endWithReader, processOutput } from './cli/output.js';
import { runCommand } from './cli/run.js';

/** The command-line client of a running server. */
endWithReader();
process.exitCode = await runCommand(process.argv.slice(2), {
  config: loadClientConfig,
  output: processOutput(),
  cwd: process.cwd(),
});
