/** A request that is answered with this status code, and with the message as it is. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'Refusal';
    this.code = code;
  }
}
