#!/usr/bin/env node
import { Command, Help, type Option } from 'commander';
import isEqual from 'lodash/isEqual.js';
import pc from 'picocolors';
import { errorLine, ExitError } from './command/exit.js';
import { GLOBAL_FLAGS } from './command/program-info.js';
import { asTyped, isPlugin, packageVersion, programName } from './command/program-info.js';
import { terminalOf } from './output/model/terminal.js';
import { plainLines } from './output/model/text.js';
import { VERBS } from './verbs.js';

/** Columns that what a flag does is wrapped in at least. */
const NARROWEST_TEXT = 25;

function programOf(): Command {
  return new Command(isPlugin() ? programName() : 'fairlead')
    .description('One Application, many clusters, each with its own values.')
    .version(packageVersion())
    .option('--debug', 'show the stack trace of an error')
    .option('--no-color', 'no colours, as with NO_COLOR in the environment; FORCE_COLOR has them in a pipe, too')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure, not found or wrong usage, 124 timeout,\n130 interrupted; of diff: 0, 1 changes, 2 failure.',
    );
}

/** A default that is nothing is not worth a word. */
function optionDescription(option: Option): string {
  const isEmpty = option.defaultValue === '' || isEqual(option.defaultValue, []);
  return isEmpty ? option.description : new Help().optionDescription(option);
}

/** Commander leaves most settings of a program to its commands, but only if these are made by it. */
function likeAll(command: Command): Command {
  command
    .showHelpAfterError('(add --help for the usage)')
    .configureHelp({ optionDescription, minWidthToWrap: NARROWEST_TEXT });
  for (const part of command.commands) likeAll(part);
  return command;
}

/** The program with the wanted verb in full and the others by name. */
async function programFor(wanted: string | undefined): Promise<Command> {
  const program = programOf();
  for (const { name, description, load } of VERBS) {
    if (name === wanted) program.addCommand(await load());
    else program.command(name).description(description);
  }
  return likeAll(program);
}

/** Whoever starts us with a channel (the demo does) takes us along when it ends, however it ends. */
function endWithParent(): void {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Nobody reads any more, e.g. after `| head`, or the terminal is gone: what was begun in a cluster still has to end. */
function goOnWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}

/** By default picocolors checks stdout, which may go into a file while errors go to the terminal. */
function stderrColors(): ReturnType<typeof pc.createColors> {
  return pc.createColors(terminalOf(process.stderr, process.env).hasColors);
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const debug = args.includes('--debug');
  if (args.includes('--no-color')) process.env['NO_COLOR'] = '1';
  const rest = args.filter((arg) => !GLOBAL_FLAGS.includes(arg));
  // `fairlead help VERB` needs that verb's own help.
  const wanted = rest[0] === 'help' ? rest[1] : rest.find((arg) => !arg.startsWith('-'));
  try {
    const program = await programFor(wanted);
    if (rest.length === 0) program.outputHelp();
    else await program.parseAsync(rest, { from: 'user' });
  } catch (error: unknown) {
    const text = debug && error instanceof Error ? (error.stack ?? '') : asTyped(errorLine(error));
    process.stderr.write(`${stderrColors().red('fairlead:')} ${plainLines(text)}\n`);
    process.exitCode = error instanceof ExitError ? error.exitCode : 1;
  }
}

endWithParent();
goOnWithoutReader();
await main();
