import type { Guard } from './facts.js';

/** What is being deleted is not deleted a second time. */
export const LEAVING: Guard<{ readonly isTerminating: boolean }> = {
  name: 'leaving',
  applies: ({ isTerminating }) => isTerminating,
  allowed: false,
  why: () => 'it is being deleted',
  meaning: 'it is already being deleted',
};
