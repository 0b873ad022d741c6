export const MIB = 1024 * 1024;

/** Bytes of an object that etcd stores at most, unless its `--max-request-bytes` says otherwise. */
export const MOST_STORED_BYTES = 1.5 * MIB;

/** The limit, and the way out: the end of a sentence that says what is too long. */
export const SIZE_HELP =
  'a cluster stores at most 1.5 MiB of an object, unless its etcd is set otherwise; move values into ConfigMaps or ' +
  'Secrets that `valuesFrom` names, or into files of `valuesFiles`';
