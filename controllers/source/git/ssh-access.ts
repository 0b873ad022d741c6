import { shellQuoted } from '#lib/shell-quoted.js';
import type { SecretData } from '../secrets.js';
import type { Login } from './access.js';
import { privateFile } from './private-file.js';

/** Asked by ssh for the passphrase: it must not be an argument, and there is no terminal. */
const ASKPASS = `#!/bin/sh
printf '%s\\n' "$FAIRLEAD_PASSPHRASE"
`;

async function passphraseAccess(passphrase: string, folder: string): Promise<Record<string, string>> {
  const askpass = await privateFile(folder, 'askpass', ASKPASS, { isProgram: true });
  // The display is for an ssh that does not know the other variable.
  return { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0', FAIRLEAD_PASSPHRASE: passphrase };
}

/**
 * Access by the key `identity` of a Secret, which `password` decrypts, to the hosts in `known_hosts`; the files are
 * written into `folder`. Undefined when one of them is missing.
 */
export async function sshAccess(data: SecretData, folder: string): Promise<Login | undefined> {
  const [identity, knownHosts, passphrase] = ['identity', 'known_hosts', 'password'].map((key) => data.get(key));
  if (identity === undefined || knownHosts === undefined) return undefined;
  const key = await privateFile(folder, 'identity', identity);
  const hosts = await privateFile(folder, 'known_hosts', knownHosts);
  const options = [
    `BatchMode=${passphrase === undefined ? 'yes' : 'no'}`,
    ...['PreferredAuthentications=publickey', 'NumberOfPasswordPrompts=1', 'IdentitiesOnly=yes'],
    ...['StrictHostKeyChecking=yes', `UserKnownHostsFile=${hosts}`, 'GlobalKnownHostsFile=/dev/null'],
  ];
  const flags = options.map((option) => `-o ${shellQuoted(option)}`).join(' ');
  const command = `ssh -F /dev/null -i ${shellQuoted(key)} ${flags}`;
  const asked = passphrase === undefined ? {} : await passphraseAccess(passphrase, folder);
  return {
    config: () => ({}),
    env: { GIT_SSH_COMMAND: command, ...asked },
    secrets: passphrase === undefined ? [] : [passphrase],
  };
}
