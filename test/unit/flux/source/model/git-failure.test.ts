import { expect, test } from '@jest/globals';
import { gitFailure } from '#controllers/flux/source/model/git-failure.js';

test.each([
  ['error: Server does not allow request for unadvertised object 0976950', 'CommitRefused'],
  ['fatal: remote error: want 0976950 not valid', 'CommitRefused'],
  ['fatal: remote error: upload-pack: not our ref ffffffff', 'CommitUnknown'],
  ['fatal: not a tree object', 'ObjectsLost'],
  ['fatal: failed to unpack tree object 3426886', 'ObjectsLost'],
  ['error: Could not read 0976950\nfatal: unable to read tree 0976950', 'ObjectsLost'],
  ['error: unable to read sha1 file of d/a (ce01362)', 'ObjectsLost'],
  ["fatal: missing blob object 'ce01362'", 'ObjectsLost'],
  ['error: packfile m/objects/pack/pack-28a8.pack does not match index', 'ObjectsLost'],
  ['error: remote did not send all necessary objects', 'ObjectsLost'],
  ["fatal: unable to access 'http://h/app.git/': The requested URL returned error: 302", 'Redirected'],
  ["fatal: unable to access 'http://h/app.git/': The requested URL returned error: 500", undefined],
  ["remote: fatal: unable to access 'http://h/': The requested URL returned error: 302", undefined],
  ['remote: fatal: bad object 0976950', undefined],
  ["fatal: couldn't find remote ref refs/heads/x", undefined],
  ["fatal: unable to access 'http://host/': Could not resolve host: host", undefined],
  ["error: invalid path '.git/config'", undefined],
  ['fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output', 'DiskFull'],
  ["fatal: cannot copy 'a' to 'b': No space left on device", 'DiskFull'],
  ['fatal: write error: Disk quota exceeded', 'DiskFull'],
  ['error: unable to write file big.yaml', 'DiskFull'],
  ['fatal: unable to write new index file', 'DiskFull'],
  ['remote: fatal: write error: No space left on device', undefined],
  ["error: invalid path 'x: No space left on device'", undefined],
])('%s', (said, failure) => expect(gitFailure(said)).toBe(failure));
