import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from '@jest/globals';

/** A disk of its own. */
interface SmallDisk {
  readonly root: string;
  unmount(): void;
}

/** Mounts a disk that is soon full. Throws where that is not allowed: only root may, and not in every container. */
export function mountSmallDisk(bytes: number): SmallDisk {
  const root = mkdtempSync(path.join(tmpdir(), 'fairlead-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'fairlead-test', root], { stdio: 'ignore' });
  } catch (error: unknown) {
    rmdirSync(root);
    throw error;
  }
  const unmount = (): void => {
    execFileSync('umount', ['--lazy', root]);
    rmdirSync(root);
  };
  return { root, unmount };
}

function mayMount(): boolean {
  try {
    mountSmallDisk(4096).unmount();
    return true;
  } catch {
    return false;
  }
}

/** Skipped where no disk can be mounted. */
export const testWithDisk = mayMount() ? test : test.skip;
