type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields without those that are undefined: an optional field is absent, it never holds `undefined`. */
export function defined<T extends object>(fields: T): Defined<T> {
  // Only the undefined values go, which is what the type says of them.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
