import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle, Table, TableBody, TableCell,
  TableHead, TableRow } from '@mui/material'
import { useEffect, useState, type ReactNode } from 'react'
import { Edit, useCanAccess, useEditContext, useNotify, useRecordContext, useRedirect, useResourceContext,
  useTranslateLabel, useUpdate, type RaRecord } from 'react-admin'
import { HttpError } from 'resourcery/react-admin'

type Fields = Readonly<Record<string, unknown>>

/** A change that was refused because somebody else had changed the record. */
interface Conflict {
  /** The record as it is now. */
  readonly current: RaRecord
  /** The fields that the user has changed. */
  readonly mine: Fields
}

/** Returns the names for the values of some fields. */
type Descriptions = Readonly<Record<string, (value: unknown) => string | undefined>>

/** An edit page. Where somebody else has changed the record since it was opened, it shows both versions and lets the user choose. */
export function ConflictAwareEdit({ describe = {}, children }: { describe?: Descriptions; children: ReactNode }) {
  const notify = useNotify()
  const { canAccess: mayEdit } = useCanAccess({ resource: useResourceContext() ?? '', action: 'edit' })
  const [conflict, setConflict] = useState<Conflict>()

  function onError(error: unknown, { data, previousData }: { data?: Fields; previousData?: Fields }) {
    if (error instanceof HttpError && error.body.current !== undefined)
      setConflict({ current: error.body.current, mine: changed(data, previousData) })
    else if (!(error instanceof HttpError && error.body.errors))
      notify(error instanceof Error ? error.message : String(error), { type: 'error' })
  }

  return (
    <Edit mutationMode='pessimistic' mutationOptions={{ onError }}>
      <OnlyWithAccess mayEdit={mayEdit === true}>{children}</OnlyWithAccess>
      {conflict !== undefined && (
        <ConflictDialog conflict={conflict} describe={describe} onError={onError} close={() =>
          setConflict(undefined)} />
      )}
    </Edit>
  )
}

/** Shows a form to those who may change its record, and the record itself to all others. */
function OnlyWithAccess({ mayEdit, children }: { mayEdit: boolean; children: ReactNode }) {
  const resource = useResourceContext() ?? ''
  const record = useRecordContext()
  const redirect = useRedirect()
  const { canAccess } = useCanAccess({ resource, action: 'edit', record })
  // Where no record may be changed, the page itself refuses.
  const isRefused = mayEdit && canAccess === false
  useEffect(() => {
    if (isRefused && record !== undefined) redirect('show', resource, record.id)
  }, [isRefused, record, redirect, resource])
  return canAccess === true ? children : null
}

interface ConflictDialogProps {
  readonly conflict: Conflict
  readonly describe: Descriptions
  readonly onError: (error: unknown, variables: { data?: Fields; previousData?: Fields }) => void
  readonly close: () => void
}

function ConflictDialog({ conflict: { current, mine }, describe, onError, close }: ConflictDialogProps) {
  const resource = useResourceContext() ?? ''
  const notify = useNotify()
  const redirect = useRedirect()
  const { record: opened, refetch } = useEditContext()
  const labelOf = useTranslateLabel()
  const [update, { isPending }] = useUpdate()

  const theirs = changed(current, opened)
  const fields = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])]
  const show = (field: string, value: unknown) => describe[field]?.(value) ?? String(value ?? '')

  async function reload() {
    await refetch()
    close()
  }

  // What only they have changed stays as it is now.
  function saveMine() {
    const params = { id: current.id, data: { ...current, ...mine }, previousData: current }
    void update(resource, params, {
      mutationMode: 'pessimistic',
      onSuccess: () => {
        close()
        notify('ra.notification.updated', { messageArgs: { smart_count: 1 } })
        redirect('list', resource)
      },
      onError: (error) => {
        close()
        onError(error, params)
      },
    })
  }

  return (
    // React Router shows the form of another record in the same page.
    <Dialog open={opened?.id === current.id} onClose={close} aria-labelledby='conflict-title'>
      <DialogTitle id='conflict-title'>Somebody else has changed this record</DialogTitle>
      <DialogContent>
        <DialogContentText>
          It was saved after you opened it, so your changes have not been saved yet.
        </DialogContentText>
        <Table size='small'>
          <TableHead>
            <TableRow>
              <TableCell>Field</TableCell>
              <TableCell>As it is now</TableCell>
              <TableCell>Your change</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {fields.map((field) => (
              <TableRow key={field}>
                <TableCell>{labelOf({ source: field, resource })}</TableCell>
                <TableCell>{show(field, current[field])}</TableCell>
                <TableCell>{field in mine ? show(field, mine[field]) : '–'}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </DialogContent>
      <DialogActions>
        <Button onClick={() => void reload()}>Discard mine and reload</Button>
        <Button onClick={saveMine} disabled={isPending} variant='contained'>Keep mine and save</Button>
      </DialogActions>
    </Dialog>
  )
}

/** Returns the fields that differ from those of an earlier record. */
function changed(fields: Fields = {}, earlier: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== earlier[name]))
}
