import type { OneTimeLogin, OneTimeLogins } from './one-time-logins.js';

/** What the process that started the server hears of it. */
export interface ConsoleAnnouncement {
  /** URL without a path. */
  readonly address: string;
}

/** What it may say. */
export interface ConsoleOrder {
  readonly login: OneTimeLogin;
}

export interface Parent {
  announce(announcement: ConsoleAnnouncement): void;
  /** Orders are not heard any longer. */
  leave(): void;
}

function isOrder(message: unknown): message is ConsoleOrder {
  const { login } = (message ?? {}) as { login?: Partial<OneTimeLogin> | null };
  return typeof login?.code === 'string' && typeof login.token === 'string';
}

/** Takes logins from the process that started this one: neither arguments, files nor the environment have them. */
export function hearParent(logins: OneTimeLogins): Parent {
  if (process.send === undefined) {
    throw new RangeError('--one-time-login: it needs a process that starts this one with an IPC channel');
  }
  const hear = (message: unknown): void => {
    if (isOrder(message)) logins.offer(message.login);
  };
  process.on('message', hear);
  return {
    announce: (announcement) => process.send?.(announcement),
    leave: () => process.removeListener('message', hear),
  };
}
