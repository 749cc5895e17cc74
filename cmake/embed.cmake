# Files that travel inside the binary: the generic hand's skin, the player page, grasp models.
# Each becomes `extern const unsigned char NAME[]; extern const unsigned long NAME_size;`.
function(prehend_embed target name file)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file} is missing: run script/bootstrap --no-build")
  endif()
  set(object ${PROJECT_BINARY_DIR}/embed/${name}.S)
  file(WRITE ${object}.in
"    .section .rodata
    .global ${name}
    .global ${name}_size
    .balign 16
${name}:
    .incbin \"${file}\"
${name}_end:
    .byte 0
    .balign 8
${name}_size:
    .quad ${name}_end - ${name}
    .section .note.GNU-stack,\"\",@progbits
")
  configure_file(${object}.in ${object} COPYONLY)
  set_source_files_properties(${object} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${object})
endfunction()

function(prehend_embed_assets target)
  prehend_embed(${target} prehend_skin_left ${PREHEND_ASSETS}/generic-hand-left.glb)
  prehend_embed(${target} prehend_skin_right ${PREHEND_ASSETS}/generic-hand-right.glb)
  prehend_embed(${target} prehend_player_html ${PREHEND_ASSETS}/player.html)
endfunction()

# Written by `prehend train --example NAME --max-gaussians 12 -o models/NAME.json`.
function(prehend_embed_models target)
  foreach(name cylindrical spherical palmar lateral tip hook general)
    prehend_embed(${target} prehend_model_${name} ${PROJECT_SOURCE_DIR}/models/${name}.json)
  endforeach()
endfunction()
