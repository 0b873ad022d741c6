import { expect, test } from '@jest/globals';
import {
  applicationCommands,
  OVERVIEW_COMMANDS,
  historyCommands,
  noRolloutCommands,
  rolloutCommands,
  templateCommands,
  templateUseCommands,
  TEMPLATES_COMMANDS,
} from '#console/web/parts/model/commands.js';

const WEB = { namespace: 'shop', name: 'web', approval: '', waits: false };
const commandsOf = (more: Partial<typeof WEB>): string[] =>
  applicationCommands({ ...WEB, ...more }).map(({ command }) => command);

test('the page of an Application has the commands that say the same', () => {
  expect(commandsOf({})).toEqual([
    'fairlead status web --namespace shop --output wide',
    'fairlead explain web --namespace shop',
    'kubectl --namespace shop describe applications.gitops.kubesphere.io web',
  ]);
});

test('and those for what waits, if something does', () => {
  expect(commandsOf({ waits: true })).toContain('fairlead pending web --namespace shop');
  expect(commandsOf({ approval: 'abc123' })[0]).toMatch(/^kubectl annotate .* web -n shop .*='abc123'$/);
});

test.each(['$(reboot)', 'a b', 'a;b', "a'", '<b>', '', '-n', 'a\nb'])('nobody copies %j into a shell', (text) => {
  expect(commandsOf({ name: text })).toEqual([]);
  expect(commandsOf({ namespace: text })).toEqual([]);
  expect(commandsOf({ approval: text })).toHaveLength(3);
});

test('the page of all Applications has commands as well', () => {
  expect(OVERVIEW_COMMANDS.map(({ command }) => command)).toContain('fairlead status --all-namespaces');
});

test.each([historyCommands, noRolloutCommands, rolloutCommands])(
  '%p names the Application, and nothing that a shell reads',
  (commands) => {
    const texts = commands({ namespace: 'shop', name: 'web' }).map(({ command }) => command);
    expect(
      texts.every((text) =>
        /^fairlead [a-z]+ ([a-z]+ )?web .*--namespace shop$|^fairlead [a-z]+ ([a-z]+ )?web --namespace shop$/.test(
          text,
        ),
      ),
    ).toBe(true);
    expect(commands({ namespace: 'shop', name: '$(x)' })).toEqual([]);
  },
);

const USE = 'fairlead template use platform/web --kind HelmTemplate --as NAME --namespace NAMESPACE';

test('the pages of templates have the commands that say the same', () => {
  const base = { namespace: 'platform', kind: 'HelmTemplate', name: 'web', revision: 3 };
  const commandsAt = (more: Partial<typeof base>): string[] =>
    templateCommands({ ...base, ...more }).map(({ command }) => command);
  expect(commandsAt({})).toEqual([
    'fairlead template show platform/web --kind HelmTemplate --output wide',
    'fairlead template diff platform/web@2 platform/web@3 --kind HelmTemplate',
    USE,
  ]);
  expect(templateUseCommands(base).map(({ command }) => command)).toEqual([USE]);
  expect(commandsAt({ revision: 1 })).toHaveLength(2);
  for (const text of ['$(reboot)', 'a b', "a'", '', '-n']) {
    expect([...commandsAt({ kind: text }), ...templateUseCommands({ ...base, name: text })]).toEqual([]);
  }
  expect(TEMPLATES_COMMANDS).toHaveLength(1);
});
