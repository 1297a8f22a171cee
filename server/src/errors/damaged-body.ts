/** The cause of a failure whose body was cut or changed on its way: the same body, sent again, may be good. */
export class DamagedBody extends Error {
  override readonly name = 'DamagedBody'
}
