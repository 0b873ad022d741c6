/** One flag of `fairlead controller`: the only place that knows its name, default and text. */
export interface OptionRow<Key extends string = string> {
  /** Key in `Options`. */
  readonly key: Key;
  /** Long flag without dashes. */
  readonly flag: string;
  /** What the value is called in the help; absent for a switch. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly description: string;
  /** What a valid value is, for the message that refuses another one; default: a valid `value`. */
  readonly expects?: string;
  /** Turns the text into the option's value; undefined means: not valid. */
  readonly parse?: (text: string) => unknown;
}
