import { memoizeWhile } from '../base/memoize.js'
import { stackInside } from '../express/layers.js'
import { mergesParams, stackOf, type Layer } from '../express/stack.js'
import { entriesOf, registrations } from './registry.js'

/*
 * Express has no event for a change of its routers, and applications and tracers change their stacks directly. So a
 * list of routes is kept with all layers that it was made of, which are compared before it is used again.
 */

/**
 * Returns a function that computes a result once for each app or router, and again when a layer, a handler of a route
 * or a declared route below it has changed.
 */
export function whileUnchanged<Result>(compute: (appOrRouter: object) => Result): (appOrRouter: object) => Result {
  const computed = memoizeWhile(
    ({ facts }: { readonly facts: readonly unknown[]; readonly result: Result }, appOrRouter: object) =>
      areFacts(facts, stackOf(appOrRouter)),
    // The facts are read before the result is computed, so that a change in the meantime is found.
    (appOrRouter) => ({ facts: factsBelow(stackOf(appOrRouter)), result: compute(appOrRouter) }),
  )
  return (appOrRouter) => computed(appOrRouter).result
}

type Stack = readonly Layer[]

function factsBelow(stack: Stack): readonly unknown[] {
  const facts: unknown[] = []
  everyFact(stack, (fact) => facts.push(fact) > 0)
  // After the walk, which completes declarations.
  return [...facts, registrations]
}

function areFacts(facts: readonly unknown[], stack: Stack): boolean {
  let at = 0
  return everyFact(stack, (fact) => facts[at++] === fact) && facts[at] === registrations && at === facts.length - 1
}

/**
 * Calls a function with everything below a stack that a list of routes depends on, until it returns false. A router may
 * be mounted several times, also below itself.
 */
function everyFact(stack: Stack, take: (fact: unknown) => boolean, taken = new Set<Stack>()): boolean {
  if (taken.has(stack)) return take(stack)
  taken.add(stack)
  return take(stack) && take(stack.length) && stack.every((layer) => everyFactOf(layer, take, taken))
}

function everyFactOf(layer: Layer, take: (fact: unknown) => boolean, taken: Set<Stack>): boolean {
  const { handle, match, rawPath, route } = layer
  if (!take(layer) || !take(handle) || !take(match) || !take(rawPath) || !take(route)) return false
  if (route !== undefined) {
    // Completes its declaration, which is a registration.
    entriesOf(route)
    return take(route.stack.length) && route.stack.every((own) => take(own.handle) && take(own.method))
  }
  const inside = stackInside(layer)
  return inside === undefined ? take(inside) : take(mergesParams(handle)) && everyFact(inside, take, taken)
}
