/** Sets the clock of this process forward or back by seconds; timers keep their pace, as after a change of the system. */
export function setClock(seconds: number): void {
  const { Date: System } = globalThis
  const now = (): number => System.now() + seconds * 1000
  globalThis.Date = new Proxy(System, {
    construct: (target, args: [], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
}
