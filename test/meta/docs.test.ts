import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { FLUX_CONDITION_TYPES, FLUX_REASONS } from '#api/flux/conditions.js';
import {
  APPLICATION_EVENTS,
  APPLICATION_REASONS,
  CLUSTER_EVENTS,
  CLUSTER_GRANT_REASONS,
  TEMPLATE_REASONS,
} from '#api/v1alpha1/conditions.js';
import { PENDING_REASONS } from '#api/v1alpha1/pending.js';
import { bulletList } from '#config/markdown.js';
import { POLICY, type Policy } from '#controllers/application/model/policy/policy.js';
import { DESTINATION_STATES } from '#api/v1alpha1/states.js';
import { DELETION_RULE } from '#engine/deletion/rule.js';
import { UNSUPPORTED, WITHOUT_EFFECT } from '#controllers/helmrelease/validate.js';
import { UNSUPPORTED as UNSUPPORTED_OF_KUSTOMIZATIONS } from '#controllers/kustomization/validate.js';
import { CONSOLE_OPTIONS } from '#console/server/options.js';
import type { OptionRow } from '#manager/option-row.js';
import { OPTIONS } from '#manager/options.js';
import { generatedPart } from './generated-docs.js';
import { filesBelow, textOf } from './repository.js';

function pages(): string[] {
  return ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...filesBelow('docs'), ...filesBelow('samples')].filter((file) =>
    file.endsWith('.md'),
  );
}

/** Targets of Markdown links that point into the repository. */
function localLinks(file: string): string[] {
  const links = [...textOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');
}

function hasAnchor(file: string, anchor: string): boolean {
  const headings = [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return headings.includes(anchor);
}

function isBroken(file: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const resolved = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
  if (!existsSync(resolved)) return true;
  return anchor !== undefined && resolved.endsWith('.md') && !hasAnchor(resolved, anchor);
}

function flagList(rows: readonly OptionRow[]): string {
  const items = rows.map(({ flag, value, defaultValue, description }) => {
    const synopsis = value === undefined ? `\`--${flag}\`` : `\`--${flag} <${value}>\``;
    return `${synopsis}${defaultValue === undefined ? '' : ` (default \`${defaultValue}\`)`}: ${description}`;
  });
  return bulletList(items);
}

function definitionList(meanings: Readonly<Record<string, string>>): string {
  return bulletList(Object.entries(meanings).map(([name, meaning]) => `\`${name}\`: ${meaning}`));
}

// UPDATE_GOLDEN=1 writes the lists below into the pages.
describe('docs', () => {
  test('show the example controller that the tests run, word for word', () => {
    const [, example] = /```ts\n([\s\S]*?)```/.exec(textOf('runtime/README.md')) ?? [];
    expect(example).toBe(textOf('bench/scenarios/mirror.ts'));
    expect(textOf('bench/scenarios/mirror.ts').split('export function')[1]?.split('\n').length).toBeLessThan(40);
  });

  test('have no broken link', () => {
    const broken = pages().flatMap((file) =>
      localLinks(file)
        .filter((link) => isBroken(file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test('have no table that is wider than a line', () => {
    const wide = pages().filter((page) =>
      textOf(page)
        .split('\n')
        .some((line) => /^\|.{120}/.test(line)),
    );
    expect(wide).toEqual([]);
  });

  test('name only files that exist', () => {
    const named = pages().flatMap((page) =>
      [
        ...textOf(page).matchAll(
          /`((?:api|bench|cli|config|console|controllers|docs|engine|lib|manager|queries|runtime|samples|sandbox|test|tools)\/[\w./-]+)`/g,
        ),
      ].map(([, file = '']) => ({ page, file })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ file }) => !existsSync(file) && !existsSync(`${file}.test.ts`))).toEqual([]);
  });

  test('list every decision on the page of the architecture', () => {
    const linked = localLinks('docs/architecture.md').filter((link) => link.startsWith('decisions/'));
    expect(linked.map((link) => `docs/${link}`)).toEqual(filesBelow('docs/decisions').sort());
  });

  test.each([
    ['docs/cli.md', OPTIONS],
    ['docs/console.md', CONSOLE_OPTIONS],
  ])('explain every flag in the words of the program: %s', (page, rows) => {
    expect(generatedPart(page, 'flags', flagList(rows))).toBe(flagList(rows));
  });

  test.each([
    ['docs/conditions.md', 'application', APPLICATION_REASONS],
    ['docs/conditions.md', 'events', APPLICATION_EVENTS],
    ['docs/conditions.md', 'template', TEMPLATE_REASONS],
    ['docs/conditions.md', 'grant', CLUSTER_GRANT_REASONS],
    ['docs/conditions.md', 'cluster', CLUSTER_EVENTS],
    ['docs/conditions.md', 'flux', FLUX_REASONS],
    ['docs/conditions.md', 'types', FLUX_CONDITION_TYPES],
    ['docs/rollouts.md', 'pending', PENDING_REASONS],
    ['docs/helm.md', 'refused', UNSUPPORTED],
    ['docs/helm.md', 'ignored', WITHOUT_EFFECT],
    ['docs/kustomization.md', 'refused', UNSUPPORTED_OF_KUSTOMIZATIONS],
  ])('list in %s every entry of %s', (page, name, meanings) => {
    const list = definitionList(meanings);
    expect(generatedPart(page, name, list)).toBe(list);
  });

  test('name each state of a destination, in the order in which they are decided', () => {
    const list = DESTINATION_STATES.map((state) => `\`${state}\``).join(', ');
    expect(textOf('docs/conditions.md').replaceAll(/\s+/g, ' ')).toContain(`in this order: ${list}.`);
  });

  test.each(Object.entries(DELETION_RULE))('give the guards of the deletion rule, in order: %s', (subject, guards) => {
    const list = bulletList(
      guards.map(({ name, allowed, meaning }) => `\`${name}\` (${allowed ? 'deleted' : 'kept'}): ${meaning}`),
    );
    expect(generatedPart('docs/decisions/0014-deletion-rule.md', subject, list)).toBe(list);
  });

  test.each(Object.keys(POLICY) as (keyof Policy)[])('give the rules about destinations, in order: %s', (part) => {
    const list = bulletList(POLICY[part].map(({ name, meaning }) => `\`${name}\`: ${meaning}`));
    expect(generatedPart('docs/destinations.md', part, list)).toBe(list);
  });
});
