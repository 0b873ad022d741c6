import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { FLUX_REASONS } from '../../api/flux/conditions.js';
import { APPLICATION_REASONS } from '../../api/v1alpha1/conditions.js';
import { OPTIONS } from '../../controllers/options.js';
import { filesBelow, textOf } from './repository.js';

function pages(): string[] {
  return ['README.md', 'CHANGELOG.md', ...filesBelow('docs'), ...filesBelow('samples')].filter((file) =>
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

describe('docs', () => {
  test('have no broken link', () => {
    const broken = pages().flatMap((file) =>
      localLinks(file)
        .filter((link) => isBroken(file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test.each(OPTIONS.map(({ flag, description }) => [flag, description]))(
    'explain the flag --%s of the controller as the program does',
    (flag, description) => {
      const line = textOf('docs/cli.md')
        .split('\n')
        .find((text) => text.startsWith(`| \`--${flag}`));
      expect(line).toContain(description);
    },
  );

  test.each(Object.keys({ ...APPLICATION_REASONS, ...FLUX_REASONS }))('explain the reason %s', (reason) => {
    expect(textOf('docs/conditions.md')).toContain(`| \`${reason}\` |`);
  });
});
