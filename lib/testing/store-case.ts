import type { Store } from '../store.js'
import type { SampleRow } from './sample-row.js'

/** One promise of the contract, tried on an empty store. */
export type StoreCase = (store: Store<SampleRow>) => Promise<void>

/** Cases by what they show. */
export type StoreCases = Readonly<Record<string, StoreCase>>
