/** Something is wrong with what was typed, or with the module that was named: the message is for whoever typed it. */
export class CliError extends Error {}
